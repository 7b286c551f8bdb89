"""Stiction: rigid and deformable bodies with exact friction, from Python and in Blender.

    import stiction as st

    floor = st.Body("floor", st.Box((4, 4, 1)), motion=st.Motion.STATIC, position=(0, 0, -0.5))
    block = st.Body("block", st.Box((0.2, 0.2, 0.2)), position=(0, 0, 0.1), velocity=(3, 0, 0))
    run = st.simulate(st.Scene((floor, block)), time=1.0)
    print(run.position[-1, 1])

All names of `stiction.__all__` are public and stay; everything else is private, and may change. Units are SI, vectors
are in the world frame, quaternions w, x, y, z. Each name is loaded when it is first used.
"""

# Where the public names are. Blender's register() must load none of them, so they are imported when they are asked for.
_PLACES = {
    ".solver.scene": (
        "Scene", "Body", "Motion", "Elastic", "Joint", "Motor", "Servo", "Spring", "Attachment", "KeyedPoses", "Keyed",
        "Gate", "Emitter", "Counter", "Sink", "Reduction",
    ),
    ".solver.shapes": (
        "Box", "Sphere", "Capsule", "Cylinder", "ConvexHull", "Mesh", "Compound", "Part", "Tetrahedra",
    ),
    ".solver.materials": ("Material", "MaterialPair", "MaterialTable"),
    ".solver.api.run": ("Run",),
    ".solver.api.simulating": ("load", "simulate"),
    ".solver.api.solving": ("solve", "compare"),
    ".solver.api.studying": ("study",),
    ".solver.api.verifying": ("verify",),
}  # fmt: skip
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}
__all__ = sorted(_PLACE_OF)


def __getattr__(name):
    """Load a public name when it is first used."""
    if name not in _PLACE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_PLACE_OF[name], __name__), name)
    return value


def __dir__():
    """The public names."""
    return __all__


def register():
    """Register the extension's classes with Blender."""
    from . import blender_addon, operators, ui

    for package in (blender_addon, operators, ui):
        package.register()


def unregister():
    """Remove the extension's classes from Blender, in reverse order."""
    from . import blender_addon, operators, ui

    for package in (ui, operators, blender_addon):
        package.unregister()
