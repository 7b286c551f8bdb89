"""The table of pairs of materials as the user sets it."""

import bpy
from bpy.props import BoolProperty, FloatProperty, StringProperty

from ..base.transforms import significant


def _search(self, context, _text):
    from .known import names_in

    return names_in(context.scene)


class StictionPair(bpy.types.PropertyGroup):
    """One pair of named materials."""

    first: StringProperty(name="Material", search=_search,
        description="Name of a material of bodies. Choose one that bodies have")
    second: StringProperty(name="With", search=_search,
        description="Name of the other material; may be the same. Choose one that bodies have")
    friction: FloatProperty(
        name="Friction", default=0.5, min=0.0, soft_max=1.0, precision=3,
        description="Coulomb coefficient of this pair. Set it where the rule Combine gives another than was measured"
    )
    use_restitution: BoolProperty(
        name="Set Bounciness", default=False,
        description="Give the bounciness of this pair too. Switch it on where the rule Combine gives another than "
        "was measured"
    )
    restitution: FloatProperty(
        name="Bounciness", default=0.0, min=0.0, max=1.0, precision=3,
        description="Speed after an impact over speed before it. Set it to what was measured",
    )  # fmt: skip


def read_pairs(scene):
    """Lines (first, second, friction, restitution or None) of a scene's table, as plain values."""
    return tuple(
        (line.first, line.second, significant(line.friction),
         significant(line.restitution) if line.use_restitution else None)
        for line in scene.stiction.pairs
    )  # fmt: skip
