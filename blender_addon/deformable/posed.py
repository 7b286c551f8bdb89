"""The animated mesh that pins of a deformable body follow: an object's own vertices where armatures, shape keys, hooks
and other modifiers that deform take them, without modifiers that make other vertices."""

from contextlib import contextmanager

from ...solver.base.refusal import SceneError
from ..base.geometry import vertices_of
from ..settings.motion import follows

# Modifiers that move vertices and make none. MESH_CACHE is what a bake plays: it is off while a scene is read.
DEFORMING = frozenset((
    "ARMATURE", "CAST", "CORRECTIVE_SMOOTH", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH",
    "LATTICE", "MESH_CACHE", "MESH_DEFORM", "MESH_SEQUENCE_CACHE", "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH",
    "SURFACE_DEFORM", "WARP", "WAVE",
))  # fmt: skip


def place_after(ob):
    """Where in the stack a modifier stands that plays the whole motion of an object: after those that deform what its
    pins follow, before those that make vertices."""
    if not follows(ob.stiction):
        return 0
    return 1 + max((i for i, one in enumerate(ob.modifiers) if one.type in DEFORMING), default=-1)


@contextmanager
def own_vertices_only(objects):
    """Modifiers of objects that make vertices are off in the viewport."""
    making = [one for ob in objects for one in ob.modifiers if one.show_viewport and one.type not in DEFORMING]
    for modifier in making:
        modifier.show_viewport = False
    try:
        yield
    finally:
        for modifier in making:
            modifier.show_viewport = True


def refuse_made_before(ob):
    """SceneError for a modifier that makes vertices before another deforms them: the motion, which is of the object's
    own vertices, could play neither before nor behind both."""
    making = None
    for modifier in [one for one in ob.modifiers if one.show_viewport]:
        if modifier.type not in DEFORMING:
            making = making or modifier
        elif making is not None:
            raise SceneError(
                f"object {ob.name!r}: its modifier {making.name!r} makes vertices and stands before {modifier.name!r}, "
                "which its pins follow; move it behind that, or apply it"
            )


def posed_vertices(ob, mesh):
    """Places (V,3) of an object's own vertices in its own coordinates, in its evaluated mesh; SceneError where that has
    others."""
    if len(mesh.vertices) != len(ob.data.vertices):
        raise SceneError(f"object {ob.name!r}: its shape has {len(mesh.vertices)} vertices and its mesh "
                         f"{len(ob.data.vertices)}, and its pins follow these; apply what makes others")  # fmt: skip
    return vertices_of(mesh)
