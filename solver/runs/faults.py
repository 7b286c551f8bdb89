"""A run that ends before its time: which step, which bodies, and whether keys or motors demanded what nothing can
give."""

import numpy as np

from ..base.refusal import Unexplained
from ..dynamics import kinematic
from ..dynamics.jointed.row_kernels import UNBOUNDED
from ..dynamics.jointed.tables import Role
from ..dynamics.joints.base import ANGULAR
from ..stepping.body_groups import whole_group
from ..stepping.components import components, pairs_near, spread


def fault_sentence(model, state, options, done, fault):
    """What the user reads of a NotFinite in the step after `done` steps, which began in a State."""
    where = f", {fault.where}" if fault.where else ""
    begin = f"step {done + 1}, to {(done + 1) * options.time_step:.6g} s{where}: "
    end = f"The run ends at {state.time:.6g} s, and what was made until then can be used. "
    lost, pairs = hanging_together(model, state, options.time_step, fault)
    drivers = " and ".join(repr(model.names[i]) for i in driving(model, lost, pairs))
    if drivers:
        what = fault.what if isinstance(fault, Unexplained) else "the forces between them grow without bound"
        return (
            f"{begin}moved by keys, {drivers} pressed or pulled harder than anything can yield: {what}. {end}"
            "Change these keys where they jam what they touch or stretch what hangs on them, or let a joint give way"
        )
    motor = racing(model, state, options.time_step, lost)
    if motor is not None:
        name, rate, unit, most = motor
        return (
            f"{begin}the motor of joint {name!r} wants {rate:.4g} {unit}/s, {rate * options.time_step:.4g} {unit} in a "
            f"step of {options.time_step:.4g} s, and may push {most}: forces grow without bound. {end}"
            "Give this motor a lower velocity or a max that its bodies bear, or take a smaller time step"
        )
    return (
        f"{begin}{fault.what}. This is a fault of the program, not of your scene. {end}"
        "Another time step may pass it; please report it with the scene"
    )


def hanging_together(model, state, h, fault):
    """(bodies (R,) bool of a NotFinite, and what hangs together with them by nearness and joints in a step of h seconds
    from a State; pairs a and b (P,) of bodies that are near each other)."""
    lost, group = np.isin(model.names, fault.names), whole_group(model)
    if not lost.any():
        return lost, (np.zeros(0, dtype=np.int64),) * 2
    a, b = pairs_near(group, kinematic.driven(model, state, h), h, group.moving)
    return spread(components(group.moving, (a, b)), lost) | lost, (a, b)


def driving(model, lost, pairs):
    """Numbers of the Animated bodies that are near those lost (R,) bool, by pairs a and b (P,)."""
    a, b = pairs
    near = set(a[lost[b]]) | set(b[lost[a]])
    return [i for i in model.kinematic if i in near]


def racing(model, state, h, lost):
    """(name of the joint, rate, its unit, how hard it may push) of the motor that goes the farthest in a step of h
    seconds from a State among those of bodies lost (R,) bool, in parts of half a turn or of the smaller body; None
    where none goes as far."""
    tables, farthest, found = model.joints, 1.0, None
    target = state.joints.at(state.time, h).tables.rows.target if tables.count else ()
    for row in np.flatnonzero(tables.rows.role == Role.MOTOR):
        joint, term = tables.rows.joint[row], tables.rows.start[row]
        angular = tables.functions.part[tables.rows.function[term]] in ANGULAR
        ends = [end for end in tables.per_joint.ends[joint] if end >= 0]
        rate = abs(float(target[row] / tables.rows.factor[term]))
        part = rate * h / (np.pi if angular else model.size[ends].min())
        if lost[ends].any() and part > farthest and not state.joints.broken[joint]:
            bounded = tables.rows.most[row] < UNBOUNDED
            most = tables.rows.most[row] * (tables.rows.factor[term] if angular else 1.0)
            bound = f"with up to {most:.3g} {'N m' if angular else 'N'}" if bounded else "without bound"
            farthest, found = part, (tables.names[joint], rate, "rad" if angular else "m", bound)
    return found
