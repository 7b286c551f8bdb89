"""What the user sets of a deformable body: `object.stiction.elastic`."""

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from ...solver.laws.elastic_laws import DEFAULT_LAW, ELEMENTS, LAWS, MOST_POISSON
from ...solver.meshes.meshers import MESHERS
from ..base.enums import identifier, items_of, keys_by_identifier
from ..base.geometry import vertices_of
from .presets import PRESETS

CUSTOM = "CUSTOM"
# Weight above which a vertex of the group is pinned.
PINNED = 0.5


def _items(table):
    return items_of((key, entry.label, entry.description) for key, entry in table.items())


def _take_preset(group, _context):
    """Fill in the numbers of the chosen material."""
    if group.preset == CUSTOM:
        return
    preset = PRESETS[_LABELS[group.preset]]
    group.young, group.poisson, group.damping = preset.young, preset.poisson, preset.damping
    group.law = identifier(preset.law)
    settings = group.id_data.stiction
    settings.density, settings.friction = preset.density, preset.friction


_LABELS = keys_by_identifier(PRESETS)
PRESET_ITEMS = [(CUSTOM, "Custom", "The numbers below"), *_items(PRESETS)]


class StictionElastic(bpy.types.PropertyGroup):
    """Elasticity of one body."""

    solver_keys = ("law", "element", "mesher")

    use: BoolProperty(
        name="Deformable", default=False,
        description="Fill the mesh with tetrahedra that bend and stretch: rubber, foam, flesh. Modifiers come after "
        "its motion. Switch it on for what is soft; a bake takes longer",
    )  # fmt: skip
    motion: EnumProperty(
        name="Motion", default="FULL",
        items=[("FULL", "Full", "Every part bends by itself: what is soft, or pressed at points"),
               ("MODES", "Modes", "The body moves in a few shapes of vibration: stiff bodies that shake and ring, in a "
                "fraction of the time. Of dents it shows what these shapes hold")],
        description="What the body moves in. Choose Modes for what is stiff, Full for what is soft",
    )  # fmt: skip
    modes: IntProperty(
        name="Modes", default=20, min=1, soft_max=100,
        description="How many of the lowest shapes of vibration the body moves in. Raise it until its motion changes "
        "no more",
    )  # fmt: skip
    bends: IntProperty(
        name="Large Bends", default=0, min=0, soft_max=40,
        description="Number of shapes added in which the modes change as they bend; 0: for bends of less than ten "
        "degrees. Set it to 10 for what bends far or spins fast",
    )  # fmt: skip
    spin: BoolProperty(
        name="Stretch by Spin", default=True,
        description="Add the shapes that spinning draws the body out to: modes alone only bend. Switch it off for "
        "what hardly turns",
    )  # fmt: skip
    struck: PointerProperty(
        name="Struck at", type=bpy.types.Collection,
        description="Objects whose boxes mark where the body is held, struck or leans: shapes are added that give way "
        "there. Set it where contacts press dents",
    )  # fmt: skip
    damping_ratio: FloatProperty(
        name="Damping Ratio", default=0.02, min=0.0, soft_max=1.0, precision=4,
        description="Damping of every shape, in parts of what ends its swinging: metal 0.001, wood 0.01, rubber 0.1. "
        "It comes on top of Damping. Raise it where a body rings for too long",
    )  # fmt: skip
    preset: EnumProperty(
        name="Material", default=CUSTOM, update=_take_preset,
        items=PRESET_ITEMS,
        description="Fill in stiffness, density and friction of a common material. Choose the one nearest to yours, "
        "then change its numbers",
    )  # fmt: skip
    law: EnumProperty(
        name="Elasticity", items=_items(LAWS), default=identifier(DEFAULT_LAW),
        description="How stress follows from stretch; change it to compare with other programs",
    )  # fmt: skip
    # The limits are soft: a value no material can have is refused at the bake with the object's name, not bent.
    young: FloatProperty(
        name="Stiffness [Pa]", default=5e4, soft_min=1e3, soft_max=1e9, precision=0,
        description="Young's modulus: jelly 1e4, sponge 1e5, rubber 1e6, wood 1e10 Pa. Lower it for what is softer",
    )  # fmt: skip
    poisson: FloatProperty(
        name="Poisson's Ratio", default=0.4, soft_min=0.0, soft_max=MOST_POISSON, precision=4,
        description="0: it does not bulge when pressed; 0.49: it keeps its volume, as rubber does. Above that "
        "accurate elements are needed. Lower it for foam and cork",
    )  # fmt: skip
    damping: FloatProperty(
        name="Damping [s]", default=2e-3, min=0.0, soft_max=0.1, precision=4,
        description="Of the stiffness: how fast vibrations die; falling and flying are not slowed. Raise it where a "
        "body trembles for too long",
    )  # fmt: skip
    mass_damping: FloatProperty(
        name="Settling [1/s]", default=0.0, min=0.0, soft_max=10.0, precision=3,
        description="Decay rate of slow vibrations; falling and flying are not slowed. Raise it where a body sways "
        "for too long",
    )  # fmt: skip
    element: EnumProperty(
        name="Elements", items=_items(ELEMENTS), default=identifier("t4"),
        description="Kind of tetrahedra; quadratic ones bend better, and take several times as long. Choose them for "
        "thin and nearly incompressible bodies",
    )  # fmt: skip
    element_size: FloatProperty(
        name="Element Size", default=0.0, min=0.0, precision=4, unit="LENGTH",
        description="Edge of a tetrahedron; 0: such that about 1,000 fill the body. Halving it takes eight to ten "
        "times as long. Lower it where folds or edges look coarse",
    )  # fmt: skip
    bent: BoolProperty(
        name="Bend to Surface", default=False,
        description="Bend the outer edges of quadratic elements onto the mesh: round bodies stay round with few. "
        "Switch it on for balls and tyres",
    )  # fmt: skip
    mesher: EnumProperty(
        name="Filled by", items=_items(MESHERS), default=identifier("lattice"),
        description="What fills the mesh with tetrahedra. Change it where thin parts are lost",
    )  # fmt: skip
    pressure: FloatProperty(
        name="Pressure [Pa]", default=0.0, soft_min=0.0, soft_max=1e6, precision=0,
        description="Of the gas in closed cavities of the mesh: a second surface inside it; 0 for none. Set it for "
        "balls and tyres: 5e4 is half an atmosphere",
    )  # fmt: skip
    self_contact: BoolProperty(
        name="Self Contact", default=False,
        description="Let the surface touch itself where it folds; takes longer. Switch it on for long and thin "
        "bodies",
    )  # fmt: skip
    plays_as: EnumProperty(
        name="Plays As", default="CACHE",
        items=[("CACHE", "Mesh Cache", "A file beside the .blend, played by a modifier: for any number of frames"),
               ("KEYS", "Shape Keys", "One absolute shape key a frame, in the .blend itself: for few frames, to sculpt "
                "or to export")],
        description="What the next bake gives this body. Change it to sculpt or to export its motion",
    )  # fmt: skip
    pin_group: StringProperty(
        name="Pins",
        description="Vertex group that holds the body, where its weight is above one half. Where the body is "
        "Animated, its pins follow its keys, parents, armatures, shape keys and other modifiers that "
        "deform. Set it for what hangs or is held",
    )
    stiffness_group: StringProperty(
        name="Stiffness Group",
        description="Vertex group by whose weights parts of the body are stiffer or softer. Set it for bones in "
        "flesh"
    )
    stiffness_factor: FloatProperty(
        name="Factor", default=10.0, min=1e-3, max=1e3, precision=3,
        description="How many times as stiff the body is where the weight is 1; less than 1: softer. Raise it for "
        "what hardly bends",
    )  # fmt: skip
    mass_group: StringProperty(
        name="Mass Group",
        description="Vertex group by whose weights parts of the body are heavier; its mass stays. Set it for tails "
        "and ears that swing"
    )
    use_goal: BoolProperty(
        name="Goal", default=False,
        description="Springs pull the body to its animated place: hard where the weights of the group Pins are near "
        "1, softly where they are near 0. Switch it on for flesh on a moving character",
    )  # fmt: skip
    goal_default: FloatProperty(
        name="Goal Strength", default=0.7, min=0.0, max=1.0,
        description="Weight of all vertices without a group. Lower it for more swing"
    )
    goal_min: FloatProperty(name="Goal Min", default=0.0, min=0.0, max=1.0,
        description="What the weight 0 counts as. Raise it where parts fly off")
    goal_max: FloatProperty(name="Goal Max", default=1.0, min=0.0, max=1.0,
        description="What the weight 1 counts as. Lower it where parts are too stiff")
    goal_spring: FloatProperty(
        name="Goal Stiffness", default=0.5, min=0.0, max=0.999,
        description="Stiffness of the springs. Raise it where the body lags behind"
    )
    goal_friction: FloatProperty(
        name="Goal Damping", default=5.0, min=0.0, max=50.0,
        description="Damping of the springs, as of a Soft Body. Raise it where the body swings for too long"
    )
    goal_factor: FloatProperty(
        name="Goal Factor", default=1.0, min=0.0, soft_max=100.0,
        description="How many times as hard springs pull. Raise it for heavy bodies"
    )


def weights_in(ob, mesh, name):
    """Weights (V,) of the vertices of an object, whose mesh `mesh_of` gave, in the vertex group `name`, 0 outside it;
    None if there is no such group."""
    group = ob.vertex_groups.get(name)
    if group is None:
        return None
    index = group.index
    weights = np.zeros(len(mesh.vertices), dtype=np.float32)
    for vertex in mesh.vertices:
        for entry in vertex.groups:
            if entry.group == index:
                weights[vertex.index] = entry.weight
    return weights


def weighted_points(ob, mesh, name):
    """Rows [x, y, z, weight] of the vertices of an object, in its own coordinates, with their weights in the vertex
    group `name`, 0 outside it; None if there is no such group."""
    weights = weights_in(ob, mesh, name)
    return None if weights is None else np.column_stack([vertices_of(mesh), weights]).tolist()


def pinned_points(ob, mesh, name):
    """Places [[x, y, z], ...] of the vertices of an object, in its own coordinates, with a weight above PINNED in the
    vertex group `name`; None if there is no such group."""
    weights = weights_in(ob, mesh, name)
    return None if weights is None else vertices_of(mesh)[weights > PINNED].tolist()


def goal_weights(ob, mesh):
    """Weights (V,) by which the vertices of an object are pulled to their goals; None if its group is not there."""
    elastic = ob.stiction.elastic
    if not elastic.pin_group:
        return np.full(len(mesh.vertices), elastic.goal_default)
    return weights_in(ob, mesh, elastic.pin_group)
