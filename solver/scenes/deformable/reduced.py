"""Deformable bodies that move in a few modes of their shape."""

from ...meshes.tet_grids import box_grid
from ...scene import Body, Elastic, Reduction, Scene
from ...shapes import Tetrahedra
from ..base import SceneEntry, floor, one_material


def reduced_planks(layers=2, young=5e8, modes=12, friction=0.5, height=0.02):
    """Planks of 1 m fall on each other crosswise, two a layer, from `height` [m] above one another; damping 2 %."""
    elastic = Elastic(young=young, law="corotational", element="t10", reduction=Reduction(modes, damping_ratio=0.02))
    sides, planks = ((1.0, 0.1, 0.04), (0.1, 1.0, 0.04)), []
    for layer in range(layers):
        size = sides[layer % 2]
        shape = Tetrahedra(*box_grid(tuple(10 if side == 1.0 else 1 for side in size), size))
        for sign in (-1.0, 1.0):
            at = [0.0, 0.0, 0.02 + height + (0.04 + height) * layer]
            at[1 - layer % 2] = 0.35 * sign
            planks.append(Body(f"plank{len(planks)}", shape, position=tuple(at), elastic=elastic))
    return Scene((floor(4.0), *planks), one_material(friction), name="reduced_planks")


ENTRIES = (
    SceneEntry("reduced_planks", "Planks of a few modes", "four planks of twelve modes fall on each other",
               reduced_planks, 0.5),
)  # fmt: skip
