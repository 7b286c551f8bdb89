"""The solver's gates, emitters, counters and sinks of a reading, in SI units; no bpy here."""

import numpy as np

from ...solver.base.refusal import SceneError
from ...solver.scene import Counter, Emitter, Gate, Sink
from ..base.transforms import significant

# A gate opens once every body is slower than what gravity gives in this many seconds.
REST = 2e-3


def solver_flow(reading, maker):
    """Fields of a Scene by name for what a SceneReading says of bodies that come and go; maker: a Maker."""
    flow, unit = reading.flow, reading.unit
    if not flow:
        return {}
    gravity = float(np.linalg.norm(reading.gravity)) * unit
    return {
        "gates": tuple(_gate(one, gravity) for one in flow["gates"]),
        "emitters": tuple(_emitter(one, reading.pours[one["name"]], maker, unit) for one in flow["emitters"]),
        "counters": tuple(
            Counter(one["name"], _lengths(one["point"], unit), tuple(one["normal"])) for one in flow["counters"]
        ),
        "sinks": tuple(Sink(one["name"], _box(one, unit)) for one in flow["sinks"]),
    }


def _lengths(values, unit):
    return tuple(significant(np.array(values, dtype=float) * unit).tolist())


def _box(one, unit):
    return tuple(_lengths(corner, unit) for corner in one["box"])


def _gate(one, gravity):
    speed = REST * gravity if one["at_rest"] and gravity else None
    return Gate(one["name"], one["body"], significant(one["time"]), speed)


def _emitter(one, bodies, maker, unit):
    made = [maker.body(body)[0] for body in bodies]
    names = list(dict.fromkeys(body.material for body in made))
    if len(names) > 1:
        raise SceneError(
            f"emitter {one['name']!r}: pours bodies of {len(names)} materials; give them one, or each an emitter"
        )
    return Emitter(
        one["name"], tuple(body.shape for body in made), _box(one, unit), one["count"], significant(one["rate"]),
        names[0], significant(one["start"]), None, significant(one["size_spread"]), one["turned"],
        _lengths(one["velocity"], unit), one["seed"],
        None if one["turned"] else tuple(tuple(body.orientation) for body in made),
    )  # fmt: skip
