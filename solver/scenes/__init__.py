"""The canonical scenes of the papers and of the validation: SCENES, name -> SceneEntry."""

from . import (
    arches,
    cards,
    concave,
    coupled,
    deformable,
    granular,
    hoppers,
    impacts,
    jointed,
    leaning,
    mechanisms,
    newton2019,
    nncg2010,
    piles,
    prox2017,
    prox_stones,
    single,
    stacks,
    tops,
)
from .base import SceneEntry, scaled, turned

FAMILIES = (
    single, coupled, leaning, tops, stacks, arches, cards, piles, impacts, granular, hoppers, concave, newton2019,
    nncg2010, prox2017, prox_stones, deformable, jointed, mechanisms,
)  # fmt: skip
SCENES = {entry.key: entry for family in FAMILIES for entry in family.ENTRIES}


def build(name, **parameters):
    """Return the Scene called `name`; KeyError names the scenes there are."""
    if name not in SCENES:
        raise KeyError(f"no scene {name!r}; there are {', '.join(SCENES)}")
    return SCENES[name].build(**parameters)


__all__ = ["SCENES", "SceneEntry", "build", "scaled", "turned"]
