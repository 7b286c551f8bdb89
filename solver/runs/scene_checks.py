"""What of a run's options does not go with its scene, and what is said of how its meshes were filled."""

import numpy as np

from ..base.refusal import LARGEST, SceneError
from ..collision.contact_generators import DEFAULT
from ..options import OptionError
from .simulation_options import SOFT_STEPPER, SPECTRAL_RADIUS


def check_flow(scene, options, model):
    """Refuse what cannot be where bodies enter and leave."""
    if model.flow is None:
        return
    if options.sleeping:
        raise OptionError("option sleeping is True but the scene has gates, emitters or sinks; leave it off")
    if model.soft.any():
        raise SceneError(f"scene {scene.name!r}: has deformable bodies, which cannot enter or leave; remove gates, "
                         "emitters and sinks")  # fmt: skip


def check_scene(scene, options):
    """Refuse what joints cannot do, and options that are for no body of a scene."""
    for emitter in scene.emitters:
        for name, value, low, high in (("seed", emitter.seed, 0, 2**63), ("count", emitter.count, 1, 10**6)):
            if not low <= value <= high:
                raise SceneError(f"emitter {emitter.name!r}: {name} is {value}; give a whole number from {low} to "
                                 f"{high}")  # fmt: skip
    _check_drives(scene)
    _check_deformables(scene, options)


def _check_drives(scene):
    """Refuse what motors, servos and springs go for where it is larger than any length or speed may be."""
    for joint in scene.joints:
        for field, name in (("motor", "velocity"), ("servo", "target"), ("spring", "rest")):
            given = getattr(joint, field)
            for drive in given.values() if isinstance(given, dict) else (given,):
                value = getattr(drive, name, 0.0)
                most = float(np.abs(getattr(value, "values", value)).max())
                if most > LARGEST:
                    raise SceneError(f"joint {joint.name!r}: {field}.{name} is {most:g}; give up to {LARGEST:g}")


def _check_deformables(scene, options):
    """Refuse options that mean nothing for deformable bodies, or nothing without any."""
    if options.soft_stepper != SOFT_STEPPER and all(body.elastic is None for body in scene.bodies):
        raise SceneError(f"soft_stepper {options.soft_stepper!r} is for deformable bodies, and scene {scene.name!r} "
                         f"has none; leave it at {SOFT_STEPPER!r}")  # fmt: skip
    if options.spectral_radius != SPECTRAL_RADIUS and options.soft_stepper != SOFT_STEPPER:
        raise OptionError(f"option spectral_radius is {options.spectral_radius}, but soft_stepper "
                          f"{options.soft_stepper!r} has none; leave it out, or choose {SOFT_STEPPER!r}")  # fmt: skip
    if options.spectral_radius != SPECTRAL_RADIUS and all(body.elastic is None for body in scene.bodies):
        raise SceneError(f"spectral_radius {options.spectral_radius} is for deformable bodies, and scene "
                         f"{scene.name!r} has none; leave it out")  # fmt: skip
    for body in scene.bodies:
        if body.elastic is None:
            continue
        for has, what in ((body.elastic.goals, "goals"), (body.elastic.reduction is not None, "a reduction")):
            if has and options.soft_stepper != SOFT_STEPPER:
                raise SceneError(f"body {body.name!r}: has {what}, which soft_stepper {options.soft_stepper!r} does "
                                 f"not know; leave it at {SOFT_STEPPER!r}")  # fmt: skip
        if options.sleeping:
            raise SceneError(f"body {body.name!r}: is deformable, and sleeping is on; switch sleeping off")
        if options.contact_generator != DEFAULT:
            generator = options.contact_generator
            raise SceneError(f"body {body.name!r}: is deformable, and contact generator {generator!r} knows no such "
                             f"bodies; choose {DEFAULT!r}")  # fmt: skip
        if options.stepper != "moreau":
            raise SceneError(f"body {body.name!r}: is deformable, and stepper {options.stepper!r} knows no such "
                             "bodies; leave it out and choose a soft_stepper")  # fmt: skip


def filling_notes(model):
    """Sentences on tetrahedra that miss a part of the volume they were to fill, or were made another way than asked."""
    pairs = zip(model.names, model.elastic, strict=True)
    return [f"body {name!r}: {body.says}" for name, body in pairs if body is not None and body.noted]
