"""Unlikely numbers: a set mass that no material has; a size that hints at a wrong unit, as of micrometre houses; a
deformable body that its own weight presses flat; one of modes that is struck too hard for these."""

from math import log10

import numpy as np

from ...solver.base.wording import counted
from ...solver.scene_io.struck_notes import speed_against, struck_sentence, struck_speed
from ..deformable.own_weight import carrying_young, pressure_of_weight
from .base import ADVICE, REFUSED, WARNING, Check, Finding
from .forms.by_worker import said_of

# Density of what a set mass and the volume give [kg/m^3]: aerogel and osmium have about 1 and 22,600.
LIGHTEST, HEAVIEST = 1.0, 25_000.0
# What Blender gives every body [kg]: nobody has chosen it.
GIVEN = 1.0
# Sizes of what is built [m].
SMALLEST, LARGEST = 1e-3, 1e3
# What the worker says of a deformable body that a blow presses flat; how much stiffer it is made then.
CRUSHED, STIFFER = "crushed beyond numbers", 10.0
# What to aim at when the unit is changed.
USUAL = 1.0


def find_mass(scan):
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


MASS = Check("mass", "Unlikely mass", find_mass, "Use the Density", use_density)


def find_size(scan):
    """Yield a Finding for every Active body whose longest side is outside the range."""
    for subject in scan.accepted():
        if not subject.dynamic:
            continue
        size = float(subject.extents[0])
        if not SMALLEST <= size <= LARGEST:
            text = f"is {size:.3g} m large: falls look {'far too fast' if size < SMALLEST else 'very slow'}"
            yield Finding((subject.name,), text, ADVICE)


def change_unit(scene, objects, scan):
    """Change the scene's unit scale by a power of ten, so that the objects are about a metre large."""
    sizes = sorted(float(scan.subjects[ob.name].extents[0]) for ob in objects)
    factor = 10.0 ** round(log10(USUAL / sizes[len(sizes) // 2]))
    if scene.unit_settings.system == "NONE":
        scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 1.0
    scene.unit_settings.scale_length *= factor
    return f"unit scale is now {scene.unit_settings.scale_length:g} for {counted(len(objects), 'object')}"


SIZE = Check("scale", "Unlikely size", find_size, "Change the Unit Scale", change_unit)


def _pressure_of_weight(subject, gravity):
    """Pressure [Pa] of its weight under a deformable body that no goals hold; 0 for others."""
    if not subject.dynamic or subject.body.elastic is None or subject.body.elastic.goals or not subject.mass:
        return 0.0
    return pressure_of_weight(subject.mass * gravity, subject.solid.volume, float(subject.extents[0]))


def find_weak(scan):
    """Yield a Finding for every deformable body whose weight is a pressure beyond its Young's modulus."""
    for subject in scan.accepted():
        pressure = _pressure_of_weight(subject, scan.gravity)
        if pressure and pressure >= subject.body.elastic.young:
            text = (f"cannot carry its own weight: that presses {pressure:.3g} Pa on a stiffness of "
                    f"{subject.body.elastic.young:.3g} Pa")  # fmt: skip
            yield Finding((subject.name,), text, WARNING)


    name, text = said_of(scan.subjects, scan.scene)
    if CRUSHED in text:
        yield Finding((name,), text.partition(";")[0], REFUSED)


def stiffen(_scene, objects, scan):
    """Raise Stiffness until the objects carry themselves; to ten times at least of what was crushed."""
    for ob in objects:
        elastic = ob.stiction.elastic
        carrying = carrying_young(_pressure_of_weight(scan.subjects[ob.name], scan.gravity))
        crushed = said_of(scan.subjects, scan.scene)[0] == ob.name
        elastic.young = max(carrying, STIFFER * elastic.young if crushed else 0.0)
    return f"{counted(len(objects), 'object')} now stiff enough to stand"


WEAK = Check("weak", "Too soft to stand", find_weak, "Raise Stiffness", stiffen)


def find_struck(scan):
    """Yield a Finding for every soft body of modes that may be struck."""
    bodies = list(scan.accepted())
    for subject in bodies:
        if subject.body.elastic is None or subject.body.elastic.reduction is None:
            continue
        others = [other for other in bodies if other is not subject]
        tops = [other.bounds[1][2] for other in others]
        relative = speed_against(subject.body.velocity, [other.body.velocity for other in others])
        speed = struck_speed(scan.gravity, subject.bounds[0][2], tops, relative)
        said = struck_sentence(speed, np.mean(subject.body.elastic.young), subject.density)
        if said:
            yield Finding((subject.name,), said, WARNING)


def move_fully(_scene, objects, _scan):
    """Let them move in all their nodes."""
    for ob in objects:
        ob.stiction.elastic.motion = "FULL"
    return f"{counted(len(objects), 'object')} now moving in all nodes"


STRUCK = Check("struck", "Too soft for modes", find_struck, "Move in All Nodes", move_fully)
