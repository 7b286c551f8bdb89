"""What nothing explains: bodies that a step has made faster than keys, falls and stored energy can.

Animated bodies go where their keys are, whatever is in the way. Where joints and contacts leave what they press or pull
no way out, the impulses of a step have no bound, and the body leaves by the last of them at any speed.
"""

import numpy as np

from ..base.refusal import Unexplained
from ..base.work import LEVERAGE, MORE
from ..dynamics import kinematic, rotation
from ..dynamics.report_kernels import energies
from ..state import name_fault
from ..stepping.step_report import LEDGER


def check_explained(model, state, after, report, last, settings):
    """Raise Unexplained for bodies that a step from a State to the State `after` has made so fast.

    report: the step's StepReport; last: that of the step before, None for none; settings: its StepSettings. Only
    scenes with Animated bodies are looked at: without any, energy has its ledger.
    """
    if not model.kinematic or (last is None and model.soft.any()):
        return
    speed = body_speeds(model, after)
    of_energy = np.sqrt(2.0 * _at_hand(model, state, report, last) * model.inverse_mass)
    limit = LEVERAGE * (key_speed(model, after) + _slow(model, settings)) + MORE * of_energy
    fast = np.flatnonzero((model.inverse_mass > 0) & (speed > limit))
    if len(fast):
        worst = fast[np.argmax(speed[fast] / limit[fast])]
        fault = Unexplained(
            f"it would come to {speed[worst]:.3g} m/s, which no key, no fall and no spring explains",
            bodies=(int(worst),),
        )
        name_fault(model, fault)
        raise fault


def fastest(model, state, settings):
    """Speed [m/s] that nothing explains in any part of a step from a State, where energy before it and keys are all
    there is; infinite where springs, motors or deformable bodies may set more free. settings: its StepSettings."""
    if not model.kinematic or model.soft.any() or (model.joints.count and model.driven_groups.any()):
        return np.inf
    kinetic, _ = energies(model.bodies, state.position, state.orientation, state.twist)
    of_energy = np.sqrt(2.0 * kinetic * model.inverse_mass.max(initial=0.0))
    keys = key_speed(model, kinematic.driven(model, state, settings.time_step))
    return float(LEVERAGE * (keys + _slow(model, settings)) + MORE * of_energy)


def _slow(model, settings):
    """A speed [m/s] that nobody calls fast: what gravity gives in a step, or the tolerance."""
    return float(np.linalg.norm(model.gravity)) * settings.time_step + settings.method_options.tolerance


def body_speeds(model, state):
    """Speed (R,) [m/s] of each body that has its kinetic energy, spin and all."""
    local = np.einsum("bji,bj->bi", rotation.matrix(state.orientation), state.twist[:, 3:])
    spin = np.einsum("bi,bij,bj->b", local, model.inertia, local)
    return np.sqrt((state.twist[:, :3] ** 2).sum(axis=1) + spin * model.inverse_mass)


def key_speed(model, state):
    """Speed [m/s] of the fastest point of all Animated bodies."""
    driven = list(model.kinematic)
    twist = np.linalg.norm(state.twist[driven].reshape(-1, 2, 3), axis=2)
    return float((twist[:, 0] + twist[:, 1] * model.size[driven]).max(initial=0.0))


def _at_hand(model, state, report, last):
    """Energy (R,) [J] that all bodies had before a step with what it set free, as far as each could have got it: falls,
    elasticity, sources and overlap; of joints to bodies alone that hang on one with a spring, a motor or friction. Of
    joints that only hold, work is an error."""
    before = energies(model.bodies, state.position, state.orientation, state.twist)
    kinetic, potential, elastic = (*before, 0.0) if last is None else (last.kinetic, last.potential, last.elastic)
    released = max(0.0, potential - report.potential) + max(0.0, elastic - report.elastic)
    released += sum(max(0.0, getattr(report, name)) for name in LEDGER if name != "joint_work")
    gets = model.driven_groups[model.jointed_bodies] if model.joints.count else np.zeros(model.body_count, dtype=bool)
    return kinetic + released + np.where(gets, max(0.0, report.joint_work), 0.0)
