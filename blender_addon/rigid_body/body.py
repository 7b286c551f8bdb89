"""One object's Rigid Body settings."""

from math import isclose, log

import bpy
import numpy as np

from ...solver.base.refusal import SceneError
from ..base.curves import animated_under
from ..base.geometry import is_flat
from ..checks.forms.off_center import off_center
from ..checks.open_mesh import give_thickness
from ..exporting.meshes import GeometryCache
from ..exporting.reader import parts_of
from ..exporting.shape_choice import takes_edges
from ..exporting.wires import wire_line
from ..joints.locks import locked, locks_line
from ..settings.motion import is_dynamic
from .switching import moves, switching_of

# Blender's cone has no shape of its own here; its hull is the same body.
SHAPES = {
    "BOX": "BOX", "SPHERE": "SPHERE", "CAPSULE": "CAPSULE", "CYLINDER": "CYLINDER", "CONE": "CONVEX_HULL",
    "CONVEX_HULL": "CONVEX_HULL", "MESH": "MESH", "COMPOUND": "COMPOUND",
}  # fmt: skip
# Part by which the scales of an object may differ that is not stretched.
SAME = 1e-3
STOPS = 240.0  # [1/s]: of damping 1 Bullet leaves nothing after a step, and Blender makes so many


def damping_rate(damping):
    """Decay rate [1/s] of Bullet's damping, which leaves (1 - damping) of a velocity after a second."""
    return -log(1.0 - damping) if damping < 1.0 else STOPS


def part_of(ob):
    """The compound an object's shape is a part of; None if it is a body of its own."""
    parent = ob.parent
    if parent is None or parent.rigid_body is None or parent.rigid_body.collision_shape != "COMPOUND":
        return None
    return parent


def copy_body(ob, entry, scene, common, geometry):
    """Set ob.stiction from ob.rigid_body, and say it in `entry`; common: damping (linear, angular) of the scene;
    geometry: the evaluated mesh, None where it has none that could collide."""
    source, target = ob.rigid_body, ob.stiction
    _copy_type(ob, source, target, entry, scene)
    _copy_shape(ob, entry, geometry)
    target.use_mass, target.mass = True, source.mass
    target.friction, target.restitution = source.friction, min(source.restitution, 1.0)
    # There the two bodies share a layer or they do not: what a body is on is what it collides with.
    target.layers = target.collides_with = source.collision_collections
    entry.taken.append(f"mass {source.mass:.4g} kg, friction {source.friction:.3g}, bounciness "
                       f"{target.restitution:.3g}, collision layers")  # fmt: skip
    if source.restitution > 1:
        entry.changed.append(f"bounciness {source.restitution:.3g} gains energy: 1 was taken")
    entry.say_keys(animated_under(ob, "rigid_body.") - {"kinematic", "enabled"})
    _copy_motion(source, target, entry, common)
    if target.type == "ACTIVE" and geometry is not None and off_center(ob, geometry):
        entry.changed.append("its origin lies off its middle, and is its centre of mass there: here that of its shape "
                             "is; press Weigh about the Origin, below Checks, where it is meant")  # fmt: skip
    if locked(ob):
        entry.taken.append(f"held by its locks of {locks_line(locked(ob))}, as there")
    _say_rest(source, entry)


def _copy_type(ob, source, target, entry, scene):
    keyed = switching_of(ob, scene, ob.parent is not None or len(ob.constraints) > 0 or moves(ob))
    target.type = source.type
    keyed.give(target)
    if target.release:
        entry.taken.append(keyed.said)
        entry.changed += [f"Dynamic off again at frame {frame}: held by its animation from there on, not stopped "
                          "where it is" for frame in keyed.stops]  # fmt: skip
    elif keyed.off:
        target.type = "PASSIVE"
        entry.changed.append("Active with Dynamic off: Passive")
    else:
        entry.taken.append(source.type.title() + (", Animated" if keyed.held else ""))


def _copy_shape(ob, entry, geometry):
    source, target, whole = ob.rigid_body, ob.stiction, part_of(ob)
    moves = is_dynamic(target) if whole is None else whole.rigid_body.type == "ACTIVE"
    shape = source.collision_shape
    if shape == "COMPOUND" and not parts_of(ob):
        entry.changed.append("shape Compound Parent without parts, through which all falls: Mesh")
        shape = "MESH"
    target.shape = SHAPES[shape]
    if geometry is not None and geometry.is_wire:
        if whole is None and shape != "COMPOUND" and takes_edges(target.shape, geometry):
            entry.changed.append(f"shape {_named(shape)}: {wire_line(geometry, target.thickness)}")
            return
        geometry = None
    flat = geometry is not None and shape != "COMPOUND" and is_flat(geometry)
    if flat and not moves:
        entry.taken.append(f"shape {_named(shape)}, of a flat mesh: its triangles collide")
    elif moves and _is_sheet(geometry, flat, shape):
        thickness = give_thickness(ob, geometry, ob.matrix_world.to_scale())
        entry.changed.append(f"shape {_named(shape)}: Solidify, {thickness:.3g} thick, as the mesh is a sheet")
    elif shape == "CONE":
        entry.changed.append("shape Cone: Convex Hull, which is the same body")
    elif shape == "MESH" and moves and _open_by(geometry):
        target.shape = "CONVEX_HULL"
        entry.changed.append(
            f"shape Mesh: Convex Hull, as the mesh is no solid ({_open_by(geometry)}); or choose Close by Winding"
        )
    else:
        entry.taken.append(f"shape {_named(shape)}")
    scale = np.abs(ob.matrix_world.to_scale())
    if target.shape == "SPHERE" and np.ptp(scale) > SAME * scale.max() and not flat:
        entry.changed.append("shape Sphere of an object that is stretched: as wide as its longest side, where Blender "
                             "stretches it by the scale of X")  # fmt: skip
    if source.mesh_source != "FINAL" and ob.modifiers and shape in ("MESH", "CONVEX_HULL"):
        entry.changed.append(f"mesh source {source.mesh_source.title()}: Final, with all modifiers")


def _is_sheet(geometry, flat, shape):
    """True if a mesh encloses nothing, where it collides itself; a flat one is no other solid but a sphere, either."""
    from ...solver.meshes.solidify import is_sheet

    if geometry is None or shape in ("COMPOUND", "SPHERE"):
        return False
    return flat or (shape == "MESH" and is_sheet(_mesh_of(geometry).given))


def _mesh_of(geometry):
    from ...solver.shapes import SHAPES as KINDS

    return KINDS["mesh"](geometry.vertices, geometry.triangles)


def _named(shape):
    return shape.replace("_", " ").title()


def geometries_of(objects):
    """{object: evaluated mesh, None where it has none that could collide}; read before anything is changed, or the
    scene would be evaluated anew for each."""
    cache, graph = GeometryCache(), bpy.context.evaluated_depsgraph_get()
    return {ob: _geometry_of(ob, ob.evaluated_get(graph), cache) for ob in objects}


def _geometry_of(ob, evaluated, cache):
    try:
        return cache.read(evaluated if evaluated.is_evaluated else ob, ob.name)[0]
    except SceneError:
        return None


def _open_by(geometry):
    """What keeps a mesh from being a solid, in words; '' if nothing does or there is none."""
    return "" if geometry is None else " and ".join(_mesh_of(geometry).given.report.defects())


def _copy_motion(source, target, entry, common):
    """Damping, where it is not the common one, and Start Deactivated."""
    own = source.linear_damping, source.angular_damping
    target.use_damping = not all(isclose(a, b, abs_tol=1e-6) for a, b in zip(own, common, strict=True))
    target.linear_damping, target.angular_damping = map(damping_rate, own) if target.use_damping else (0.0, 0.0)
    target.asleep = (
        source.use_deactivation and source.use_start_deactivated and target.type == "ACTIVE" and not target.kinematic
    )
    if target.use_damping:
        entry.taken.append(f"damping {own[0]:.3g} and {own[1]:.3g}, as decay rates of its own")
    if target.asleep:
        entry.taken.append("start deactivated: it stays where it is until a body touches it")


def hovering(source):
    """Distance that Bullet keeps between the surface of a body and what it lies on: the margin of a mesh, switched on
    or not, and of a hull that has one switched on; that of all others lies inside of them."""
    outside = source.collision_shape == "MESH" or source.collision_shape == "CONVEX_HULL" and source.use_margin
    return source.collision_margin if outside else 0.0


def _say_rest(source, entry):
    """What has no counterpart, where it is not as Blender starts it."""
    gap = hovering(source)
    if gap:
        entry.changed.append(f"collision margin {gap:.3g}: it hovered by as much there, here its surface touches")
    if source.use_deform:
        entry.left_out.append("deforming mesh: a body keeps the shape of the first frame")
