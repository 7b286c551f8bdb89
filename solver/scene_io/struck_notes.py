"""Bodies of a few modes that may be struck too hard for these, found before a run.

A blow at a speed v sends waves of strain v / c into a body, c^2 = E / rho, and presses a dent of about v / c of its
size, most of which modes leave out: a beam of 1 m with 12 modes that falls aslant at 1 m/s is 10 to 14 mm off the whole
mesh where c is 32 m/s, and 2 mm where it is 316 m/s.
"""

import numpy as np

# Dents beyond this part of the size are said: one in a hundred is seen.
SEEN = 0.01


def struck_speed(gravity, bottom, tops, relative):
    """How fast [m/s] a body may be struck: by what moves with up to `relative` [m/s] against it, and after a fall under
    gravity [m/s^2] from the height of its bottom [m] onto the lowest of the tops (n,) [m] below it."""
    below = [top for top in tops if top <= bottom]
    return float(np.sqrt(relative**2 + 2.0 * gravity * (bottom - min(below, default=bottom))))


def speed_against(velocity, others):
    """How fast [m/s] the fastest of velocities `others` is against a body's velocity."""
    return max((float(np.linalg.norm(np.subtract(velocity, other))) for other in others), default=0.0)


def struck_sentence(speed, young, density):
    """What is said of a body of Young's modulus [Pa] and density that may be struck at a speed [m/s], "" where nothing
    is."""
    share = speed / np.sqrt(young / density)
    if share <= SEEN:
        return ""
    return (f"is soft for a body of modes: it may be struck at {speed:.2g} m/s, {100 * share:.2g} % of the speed of "
            "its waves, and modes leave out dents of about that part of its size; let it move in all nodes (Motion: "
            "Full, no reduction)")  # fmt: skip


def struck_notes(scene):
    """Sentences on the bodies of a Scene that move in few shape vectors and are soft."""
    reduced = [body for body in scene.bodies if body.elastic is not None and body.elastic.reduction is not None]
    if not reduced:
        return []
    pull = float(np.linalg.norm(scene.gravity))
    up = -np.asarray(scene.gravity) / (pull or 1.0)
    heights = {body.name: _heights(body, up) for body in scene.bodies}
    notes = []
    for body in reduced:
        others = [other for other in scene.bodies if other is not body]
        tops = [heights[other.name].max() for other in others]
        relative = speed_against(body.velocity, [other.velocity for other in others])
        speed = struck_speed(pull, heights[body.name].min(), tops, relative)
        table = scene.materials
        said = struck_sentence(speed, np.mean(body.elastic.young), table.materials[table.index(body.material)].density)
        notes += [f"body {body.name!r} {said}"] if said else []
    return notes


def _heights(body, up):
    """Heights (V,) [m] of the vertices of a Body."""
    w, *v = body.orientation
    # The direction in the body's own frame: turned back by its quaternion.
    turned = up - 2.0 * w * np.cross(v, up) + 2.0 * np.cross(v, np.cross(v, up))
    return body.shape.surface()[0] @ turned + np.dot(body.position, up)
