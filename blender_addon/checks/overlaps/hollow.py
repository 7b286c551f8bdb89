"""Bodies that begin inside a closed mesh, which is a solid here and would let them out: in Blender it holds them."""

from ....solver.base.wording import counted
from ...base.geometry import holds
from ..base import WARNING, Check, Finding
from ..open_mesh import MESHES, use_solidify
from .pairs import candidates, searched


def find(scan):
    """Yield a Finding for every closed mesh in which a free body begins; nothing away from the first frame."""
    found = set()
    for a, b in candidates(searched(scan)) if scan.at_start else ():
        yield None
        for inner, outer in ((a, b), (b, a)):
            if outer.name not in found and begins_inside(scan, inner, outer):
                found.add(outer.name)
                yield Finding((outer.name, inner.name), f"is a solid, and {inner.name!r} begins inside it", WARNING)


def begins_inside(scan, inner, outer):
    """True if a free body lies within the bounds of a Passive closed mesh, its middle inside the surface."""
    ob = scan.scene.objects.get(outer.name)
    if not inner.dynamic or outer.dynamic or ob is None or ob.stiction.shape not in MESHES or outer.facts.open:
        return False
    return holds(outer.world, outer.surface[1], inner.bounds)


def make_hollow(scene, objects, scan):
    """Give the objects the shape Solidify: as thick as is set, and 2 % of their size at most."""
    use_solidify(scene, objects, scan)
    return f"{counted(len(objects), 'object')} now hollow, of the shape Solidify"


CHECK = Check("hollow", "Begins inside", find, "Make Hollow", make_hollow)
