"""Bodies of a few modes that jam in tubes, as in Staggered Projections (2008)."""

import numpy as np

from ...scene import Motion
from ...scenes.deformable.jamming import jamming_tubes, plug, plug_limit
from ..lines import Case, below, demanded, word
from .elastic import CHAPTER, stepped


def moving(scene):
    """Numbers of the bodies of a Scene that move."""
    return [number for number, body in enumerate(scene.bodies) if body.motion == Motion.DYNAMIC]


def jamming():
    """A plug of a few modes and dents, squeezed into a square tube, stays where friction times the force of its four
    sides, pressed with E e / (1 - nu), bears its weight. Balls that fall into narrowing tubes jam, deeper with less
    friction."""
    lines = []
    for factor, wanted in ((0.9, "slides"), (1.1, "stays")):
        _, states, reports = stepped(plug(factor * plug_limit()), 0.3, 0.005)
        late = states[40].position[-1, 2] - states[-1].position[-1, 2]
        name = f"plug, mu = {factor:g} of what bears its weight"
        lines.append(word(name, wanted, "slides" if late > 0.01 else "stays" if late < 1e-6 else f"{late:.2g} m",
                          "10 mm, 1e-6 m in 0.1 s"))  # fmt: skip
        lines.append(below("its overlap [m]", max(one.overlap for one in reports), 1e-4, "m"))
    scene = jamming_tubes()
    _, states, reports = stepped(scene, 1.5, 2.5e-3)
    balls = np.array(moving(scene)).reshape(3, -1)
    heights = states[-1].position[balls, 2]
    order = "rising" if np.all(np.diff(heights, axis=0) < 0.0) else "not rising"
    lines.append(word("depth of three balls in tubes of mu .5, .3, .1", "rising", order))
    since = round(0.5 / 2.5e-3)
    way = max(np.abs(state.position[balls, 2] - heights).max() for state in states[2 * since :])
    lines.append(below("how far a ball moves after 1 s [m]", way, 1e-3, "m"))
    early, late = (max(one.overlap for one in some) for some in (reports[:since], reports[since:]))
    lines.append(below("overlap after 0.5 s, when all have struck [m]", late, 1e-4, "m"))
    lines.append(demanded(below("overlap as they strike [m]", early, 1e-4, "m"),
                          "A rigid ball strikes a deformable one of 30 modes at 2 m/s, and is 0.3 mm in it for a step "
                          "or two, whether steps are of 5 or of 2.5 ms; why is not known."))  # fmt: skip
    lines.append(below("steps not accepted, in parts", 1.0 - np.mean([one.converged for one in reports]), 0.01))
    return lines


CASES = (Case("jamming", CHAPTER, jamming, False),)
