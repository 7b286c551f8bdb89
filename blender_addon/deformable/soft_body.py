"""Blender's Soft Body -> deformable bodies, with a report on every object: taken, changed, left out."""

from math import sqrt
from types import SimpleNamespace

import numpy as np

from ..base.clock import frames_per_second
from ..exporting.export import unit_length
from ..exporting.meshes import read_geometry
from ..exporting.reader import gravity_of
from ..exporting.reading import plain_values
from ..joints.rope import is_line
from ..rigid_body.report import Entry
from .goals import FRICTION
from .own_weight import carrying_young, pressure_of_weight
from .soft_rest import say_rest
from .soft_rope import take_over_rope

LARGEST = 0.999
# A lattice of equal triangles of springs k is a sheet of stiffness 2 k / sqrt(3).
SHEET = 2.0 / sqrt(3.0)
# Thickness of a sheet, in parts of its size.
THICK = 0.01
# A sheet that nothing holds lands on its edge, and gives way there at so many times less than a solid of its size.
BUCKLES = 10.0
# Triangles of a sheet up to which it is simulated with accurate elements: with 400 of them a step takes a second.
MOST_ACCURATE = 400


def soft_bodies(scene):
    """(object, modifier) of all objects with Blender's Soft Body."""
    return [(ob, modifier) for ob in scene.objects for modifier in ob.modifiers if modifier.type == "SOFT_BODY"]


def take_over_soft(scene, remove=False):
    """Make deformable bodies of all soft ones and Passive ones of what they collide with, and switch Blender's
    simulation of them off, or `remove` it; returns the entries of the report."""
    entries, found = [], soft_bodies(scene)
    for ob, modifier in found:
        entry = Entry(ob.name)
        entries.append(entry)
        if is_line(ob):
            take_over_rope(scene, ob, modifier.settings, entry)
            _switch_off(ob, modifier, remove)
            continue
        if ob.type == "LATTICE":
            entry.left_out.append("is of type Lattice, which has no surface: what it deforms could be soft instead")
            continue
        if ob.type != "MESH":
            # The check that finds it converts it, and goes on from here.
            ob.stiction.type, ob.stiction.elastic.use = "ACTIVE", True
            entry.left_out.append(f"is of type {ob.type.title()}, not a mesh: press Convert to Mesh, below Checks")
            continue
        _copy(scene, ob, modifier.settings, entry)
        _switch_off(ob, modifier, remove)
    return entries + (_colliders(scene) if found else [])


def _switch_off(ob, modifier, remove):
    if remove:
        ob.modifiers.remove(modifier)
    else:
        modifier.show_viewport = modifier.show_render = False


def kept_settings(ob):
    """Plain values of an object's Soft Body, which a conversion takes away; None where it has none."""
    source = next((modifier.settings for modifier in ob.modifiers if modifier.type == "SOFT_BODY"), None)
    if source is None:
        return None
    values = plain_values(source, ("collision_collection", "effector_weights"))
    return SimpleNamespace(**values, effector_weights=SimpleNamespace(gravity=source.effector_weights.gravity))


def take_over_converted(scene, ob, source):
    """Make an object that has become a mesh deformable by the settings it was imported with."""
    _copy(scene, ob, source, Entry(ob.name))


def _copy(scene, ob, source, entry):
    from ...solver.meshes.solidify import is_sheet
    from ...solver.shapes import SHAPES

    geometry = read_geometry(ob, f"object {ob.name!r}")
    shape = SHAPES["mesh"](geometry.vertices, geometry.triangles)
    target = ob.stiction
    elastic = target.elastic
    defects, sheet = shape.given.report.defects(), is_sheet(shape.given)
    target.type, elastic.use = "ACTIVE", True
    target.shape = "SOLIDIFY" if sheet else "WINDING" if defects else "AUTO"
    if sheet:
        _make_thick(ob, shape, entry)
    elif defects:
        entry.changed.append(f"its mesh is no solid ({' and '.join(defects)}): Close by Winding fills it")
    count = len(ob.data.vertices)
    target.use_mass, target.mass = True, source.mass * count
    entry.taken.append(f"mass {source.mass:.3g} kg a vertex, {target.mass:.3g} kg in all")
    _copy_edges(scene, ob, source, entry, shape)
    _copy_goal(ob, source, elastic, entry)
    elastic.mass_group, elastic.self_contact = source.vertex_group_mass, source.use_self_collision
    if source.vertex_group_mass:
        entry.taken.append(f"mass by the vertex group {source.vertex_group_mass!r}")
    if source.plastic:
        entry.left_out.append(f"plasticity {source.plastic}: it springs back; bake twice, or pose it by shape keys")
    say_rest(ob, source, entry)


def _make_thick(ob, shape, entry):
    """Give a sheet a thickness, and elements that bend as thin ones do where there are few."""
    size = float((np.ptp(shape.given.vertices, axis=0) * np.abs(ob.matrix_world.to_scale())).max())
    ob.stiction.thickness = THICK * size
    fine = len(shape.given.triangles) <= MOST_ACCURATE
    ob.stiction.elastic.element = "T10" if fine else "T4"
    said = "" if fine else "; its elements are the plain ones, which bend too little, as it has many triangles"
    entry.changed.append(f"a sheet: Solidify, {ob.stiction.thickness:.3g} thick{said}")


def _copy_edges(scene, ob, source, entry, shape):
    """Springs of edges as the stiffness of the solid."""
    elastic, fps, unit = ob.stiction.elastic, frames_per_second(scene), unit_length(scene)
    scale = unit * np.abs(ob.matrix_world.to_scale())
    size = np.ptp(shape.given.vertices, axis=0) * scale
    sheet = ob.stiction.shape == "SOLIDIFY"
    # Either side of a solid is half of its stiffness; a sheet has one.
    depth = unit * ob.stiction.thickness if sheet else 0.5 * float(size.min())
    spring = 1.0 / (1.0 - min(source.pull, LARGEST)) - 1.0 if source.use_edges else 0.0
    young = SHEET * spring * fps**2 / depth
    weight = ob.stiction.mass * unit * float(np.linalg.norm(gravity_of(scene)))
    from ...solver.meshes.integrals import solid_properties, triangle_areas

    # Small holes or not: told without the way that closes these.
    volume = abs(solid_properties(*shape.given[:2]).volume) * float(scale.prod())
    if sheet:
        volume = depth * float(triangle_areas(shape.given.vertices * scale, shape.given.triangles).sum())
    buckles = BUCKLES if sheet and not source.use_goal else 1.0
    floor = buckles * carrying_young(pressure_of_weight(weight, volume, float(size.max())))
    elastic.young, elastic.poisson = max(young, floor), 0.3
    elastic.damping = FRICTION * source.damping / (max(spring, 0.1) * fps)
    said = f"pull {source.pull:.3g}" if source.use_edges else "no edges"
    line = f"{said}: a solid of {elastic.young:.3g} Pa, where springs along edges would hold a hollow shell"
    entry.changed.append(line + (", raised so that it carries its weight" if young < floor else ""))
    if source.vertex_group_spring:
        elastic.stiffness_group, elastic.stiffness_factor = source.vertex_group_spring, 10.0
        elastic.young /= 10.0
        entry.changed.append(f"stiffness by the vertex group {source.vertex_group_spring!r}: ten times as stiff at "
                             "weight 1 as at weight 0")  # fmt: skip


def _copy_goal(ob, source, elastic, entry):
    elastic.use_goal = source.use_goal
    if not source.use_goal:
        return
    for name in ("goal_default", "goal_min", "goal_max", "goal_spring", "goal_friction"):
        setattr(elastic, name, getattr(source, name))
    elastic.goal_factor, elastic.pin_group = 1.0 / max(source.mass, 1e-6), source.vertex_group_goal
    ob.stiction.kinematic = True
    whom = f"by the vertex group {elastic.pin_group!r}" if elastic.pin_group else f"{source.goal_default:.3g}"
    entry.taken.append(f"goal {whom}, {source.goal_min:.3g} to {source.goal_max:.3g}, stiffness "
                       f"{source.goal_spring:.3g}, damping {source.goal_friction:.3g}, about its animation")


def _colliders(scene):
    """Entries on objects with a Collision modifier that were no bodies: they are Passive ones."""
    entries = []
    for ob in scene.objects:
        if ob.type != "MESH" or ob.stiction.type != "NONE" or not any(one.type == "COLLISION" for one in ob.modifiers):
            continue
        ob.stiction.type, ob.stiction.kinematic = "PASSIVE", ob.animation_data is not None
        entries.append(Entry(ob.name, taken=["Collision: Passive" + (", Animated" if ob.stiction.kinematic else "")]))
    return entries
