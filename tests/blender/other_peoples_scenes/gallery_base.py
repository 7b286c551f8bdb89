"""How a scene of the gallery is written down: a builder that returns what must hold of its Film."""

import numpy as np

SCENES = {}
BOX, BALL, MESH = ({"collision_shape": shape} for shape in ("BOX", "SPHERE", "MESH"))


def scene_of(frames, **arguments):
    """Put a builder into SCENES; arguments: those it is called with."""

    def put(build):
        name = build.__name__ + "".join(f"_{value}" for value in arguments.values())
        SCENES[name] = frames, lambda: build(**arguments)
        return build

    return put


def above(*bodies, deep=5e-3):
    """Holds if all bodies end above the ground."""
    return lambda film: min(film.lowest(ob) for ob in bodies) > -deep


def moved(ob, axis, least):
    """Holds if a body ends at least so far along an axis."""
    return lambda film: (film.place(ob) - film.place(ob, 1))[axis] * np.sign(least) > abs(least)


def both(*claims):
    """Holds if all claims do."""
    return lambda film: all(claim(film) for claim in claims)


def scaled(ob, *scale):
    """The object with another scale."""
    ob.scale = scale
    return ob
