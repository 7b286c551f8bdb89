"""A set mass that no material has, and masses too unequal to be meant."""

from ...solver.base.wording import counted
from .base import WARNING, Check, Finding

# Density of what a set mass and the volume give [kg/m^3]: aerogel and osmium have about 1 and 22,600.
LIGHTEST, HEAVIEST = 1.0, 25_000.0
# What Blender gives every body [kg]: nobody has chosen it.
GIVEN = 1.0


def find(scan):
    """Yield a Finding for every mass that a person has set and whose density is outside what there is."""
    for subject in scan.accepted():
        if subject.body.mass in (None, GIVEN) or subject.solid is None or not subject.solid.volume > 0:
            continue
        density = subject.body.mass / subject.solid.volume
        if not LIGHTEST <= density <= HEAVIEST:
            kg = subject.body.mass
            text = f"mass {kg:.4g} kg in {subject.solid.volume:.3g} m³ is a density of {density:.3g} kg/m³"
            yield Finding((subject.name,), text, WARNING)


def use_density(_scene, objects, _scan):
    """Switch Set Mass off: the density counts."""
    for ob in objects:
        ob.stiction.use_mass = False
    return f"{counted(len(objects), 'object')} now weighed by density"


CHECK = Check("mass", "Unlikely mass", find, "Use the Density", use_density)
