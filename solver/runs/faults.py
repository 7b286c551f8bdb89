"""A run that ends before its time: which step, which bodies, and whether keys demanded what nothing can give."""

import numpy as np

from ..base.refusal import Unexplained
from ..dynamics import kinematic
from ..stepping.body_groups import whole_group
from ..stepping.components import components, pairs_near, spread


def fault_sentence(model, state, options, done, fault):
    """What the user reads of a NotFinite in the step after `done` steps, which began in a State."""
    where = f", {fault.where}" if fault.where else ""
    begin = f"step {done + 1}, to {(done + 1) * options.time_step:.6g} s{where}: "
    end = f"The run ends at {state.time:.6g} s, and what was made until then can be used. "
    drivers = " and ".join(repr(model.names[i]) for i in driving(model, state, options.time_step, fault))
    if drivers:
        what = fault.what if isinstance(fault, Unexplained) else "the forces between them grow without bound"
        return (
            f"{begin}moved by keys, {drivers} pressed or pulled harder than anything can yield: {what}. {end}"
            "Change these keys where they jam what they touch or stretch what hangs on them, or let a joint give way"
        )
    return (
        f"{begin}{fault.what}. This is a fault of the program, not of your scene. {end}"
        "Another time step may pass it; please report it with the scene"
    )


def driving(model, state, h, fault):
    """Numbers of the Animated bodies that come near the bodies of a NotFinite within a step of h seconds from a State,
    or near what hangs together with these by nearness and joints."""
    lost = np.isin(model.names, fault.names)
    if not model.kinematic or not lost.any():
        return []
    group = whole_group(model)
    a, b = pairs_near(group, kinematic.driven(model, state, h), h, group.moving)
    with_lost = spread(components(group.moving, (a, b)), lost) | lost
    near = set(a[with_lost[b]]) | set(b[with_lost[a]])
    return [i for i in model.kinematic if i in near]
