"""Bodies that collide as a ball, a capsule or a cylinder much wider than they are in another direction."""

from ...base.geometry import is_flat
from ...exporting.shape_choice import beyond
from ..base import WARNING, Check, Finding
from ..open_mesh import use_hull

# Part of a body's size that its shape may stand out of it unseen.
SEEN = 0.1


def find(scan):
    """Yield a Finding for every such body."""
    for ob, subject in scan.objects():
        geometry = subject.geometry
        if geometry is None or subject.body is None or subject.body.elastic is not None or is_flat(geometry):
            continue
        size = geometry.size * [*map(abs, ob.matrix_world.to_scale())]
        out = beyond(ob.stiction.shape, size)
        if out > SEEN * size.max():
            shape = ob.stiction.bl_rna.properties["shape"].enum_items[ob.stiction.shape].name
            text = f"its shape {shape} is as wide as its longest side, and stands {scan.unit * out:.3g} m out of it"
            yield Finding((ob.name,), text, WARNING)
        yield None


CHECK = Check("rounded", "Rounder than it is", find, "Use Convex Hull", use_hull)
