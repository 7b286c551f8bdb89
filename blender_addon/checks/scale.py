"""Bodies of a size that hints at a wrong unit: houses of a micrometre, dice of a kilometre."""

from ...solver.base.wording import counted
from .base import ADVICE, Check, Finding

SMALLEST, LARGEST = 1e-3, 1e3  # [m]
# What to aim at when the unit is changed.
USUAL = 1.0


def find(scan):
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
    from math import log10

    sizes = sorted(float(scan.subjects[ob.name].extents[0]) for ob in objects)
    factor = 10.0 ** round(log10(USUAL / sizes[len(sizes) // 2]))
    if scene.unit_settings.system == "NONE":
        scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 1.0
    scene.unit_settings.scale_length *= factor
    return f"unit scale is now {scene.unit_settings.scale_length:g} for {counted(len(objects), 'object')}"


CHECK = Check("scale", "Unlikely size", find, "Change the Unit Scale", change_unit)
