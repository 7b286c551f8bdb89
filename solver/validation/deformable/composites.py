"""Composites of Staggered Projections (2008), Fig. 5: which come apart, which hold, which creep."""

import numpy as np

from ...dynamics.elastic.nodes import center_of
from ...scenes.deformable.composites import PITCH, SOFT, STIFF, STRANDS, alone, thrown
from ...simulation import compiled, options_for, step_settings, stepper
from ..lines import Case, below, close, word
from .elastic import CHAPTER, stepped
from .momentum import momenta

# How each hangs after 10 s, by stiffness and friction.
HANGS = {(STIFF, 0.5): "holds", (STIFF, 0.3): "holds", (STIFF, 0.1): "comes apart",
         (SOFT, 0.5): "creeps", (SOFT, 0.3): "comes apart", (SOFT, 0.1): "comes apart"}  # fmt: skip
# Ways [m] up to which a composite holds, and from which on it has come apart.
HOLDS, APART = 0.005, 0.05
# It is at rest where no strand goes up or down by more [m] within so long [s]: at that rate not 0.02 mm in 10 s.
STILL, WITHIN = 1e-6, 0.5


def _centers(model, state):
    return np.array([center_of(model.elastic[k], state.nodes.position[model.span(k)]) for k in range(2 * STRANDS)])


def hung(friction, young, step, seconds):
    """(ways (S,) [m] by which that strand of a composite on its pegs that fell farthest has fallen, of steps of `step`
    [s] until it is apart or at rest; deepest overlap [m]; parts of its steps that were not accepted)."""
    scene = alone(friction, young)
    options = options_for(scene, time=seconds, time_step=step)
    model, state = compiled(scene, options)
    settings, advance, first = step_settings(options, model, state), stepper(options), _centers(model, state)
    fallen, reports, within = [], [], round(WITHIN / step)
    while len(fallen) < round(seconds / step):
        state, report, _ = advance(model, state, settings)
        fallen.append((first - _centers(model, state))[:, 2])
        reports.append(report)
        if fallen[-1].max() >= APART or len(fallen) > within and np.ptp(fallen[-within:], axis=0).max() < STILL:
            break
    ways = np.max(fallen, axis=1)
    return ways, max(one.overlap for one in reports), 1.0 - np.mean([one.converged for one in reports])


def _said(way):
    """What a composite does whose strands fell by `way` [m] at most."""
    return "holds" if way < HOLDS else "creeps" if way < APART else "comes apart"


def composites():
    """Woven strands that hang on pegs by one of them hold where friction and stiffness bear their weight; after 10 s,
    or at rest before, stiff ones have fallen by less than 5 mm at mu .5 and .3, soft ones of mu .5 crept by 5 to 50 mm,
    all others have come apart. Half the step changes none of it, and ways of the first second by less than 5 %."""
    lines = []
    for (young, friction), wanted in HANGS.items():
        name, found = f"E = {young:g} Pa, mu = {friction:g}", []
        for step, seconds in ((0.01, 10.0), (0.005, 1.0)):
            ways, deepest, refused = hung(friction, young, step, seconds)
            said = f"{name}, steps of {1e3 * step:g} ms, {seconds:g} s"
            lines.append(word(said, wanted, _said(ways[-1]), "5 mm / 50 mm"))
            lines.append(below("its overlap [m]", deepest, 1e-4, "m"))
            lines.append(below("steps not accepted, in parts", refused, 0.01))
            found.append(ways[round(1.0 / step) - 1] if wanted != "comes apart" else 0.0)
        if wanted != "comes apart":
            lines.append(close("way of the first second [m]", found[0], found[1], 0.05, "m", relative=True))
    return lines


def flown(edge):
    """(largest change [m] of distances between strands, momenta lost in parts of them) of a composite thrown at pegs,
    flat, or with the end of one strand where edge."""
    model, states, _ = stepped(thrown(edge), 0.15, 2e-3)
    first, last = states[0], states[-1]
    then, now = (np.linalg.norm(at[:, None] - at, axis=2) for at in (_centers(model, first), _centers(model, last)))
    held = np.array([momenta(model, first), momenta(model, last)])
    return np.abs(now - then).max(), np.abs(held[1] - held[0]).max() / np.abs(held).max()


def composites_thrown():
    """A stiff composite of mu = .5 that flies flat at pegs stays whole; where one peg strikes the end of a strand,
    that strand is driven out. Momentum and angular momentum of all hold."""
    lines = []
    for edge, wanted in ((False, "whole"), (True, "apart")):
        far, lost = flown(edge)
        name = "a strand struck on its end" if edge else "struck flat"
        lines.append(word(name, wanted, "whole" if far < 0.2 * PITCH else "apart" if far > PITCH else f"{far:.3g} m",
                          "0.2, 1 pitch"))  # fmt: skip
        lines.append(below("momenta lost, in parts of them", lost, 1e-10))
    return lines


CASES = (Case("composites", CHAPTER, composites, False), Case("composites_thrown", CHAPTER, composites_thrown, False))
