"""The same shape in another size."""

from dataclasses import fields, replace

import numpy as np


def scaled_shape(shape, length):
    """The same shape with every length multiplied by `length`."""
    changes = {}
    for entry in fields(shape):
        value = getattr(shape, entry.name)
        if entry.name in ("radius", "length"):
            changes[entry.name] = value * length
        elif entry.name == "size":
            changes[entry.name] = tuple(float(x) for x in np.asarray(value) * length)
        elif entry.name == "vertices":
            changes[entry.name] = np.asarray(value) * length
        elif entry.name == "parts":
            changes[entry.name] = tuple(
                replace(
                    part,
                    shape=scaled_shape(part.shape, length),
                    position=tuple(float(x) for x in np.asarray(part.position) * length),
                )
                for part in value
            )
    return replace(shape, **changes)
