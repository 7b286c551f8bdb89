"""Steps of a scene that bodies enter and leave: gates, emitters and sinks act between them.

A step is that of the Model of the bodies that are in the scene, so what is not there costs nothing and changes nothing.
"""

from dataclasses import replace

import numpy as np

from ..dynamics.report_kernels import energies
from ..stepping.submodel import model_of, put_together, state_of


def is_present(state):
    """Bodies (R,) bool that are in the scene at the state's time."""
    if not len(state.present):
        return np.ones(len(state.position), dtype=bool)
    return (state.present[:, 0] < np.inf) & (state.present[:, 1] == np.inf)


def with_flow(step):
    """The scheme `step` for models whose bodies enter and leave: (model, state, settings) -> (state, report, rows)."""
    known = {}

    def advance(model, state, settings):
        if model.flow is None:
            return step(model, state, settings)
        before, state = state, acted(model, state)
        here = is_present(state)
        brought = _energy(model, state) - _energy(model, before)
        if np.all(here):
            after, report, rows = step(model, state, settings)
            return replace(after, present=state.present), report._replace(brought_energy=brought), rows
        key = here.tobytes()
        if key not in known:
            # One at a time: bodies do not come back.
            known.clear()
            bodies = np.flatnonzero(here)
            known[key] = _model_of(model, bodies), bodies, type(settings.memory)()
        some, bodies, memory = known[key]
        after, report, rows = step(some, state_of(state, bodies), replace(settings, memory=memory))
        stopped = replace(state, twist=np.where(here[:, None], state.twist, 0.0))
        whole, rows = put_together(stopped, (((after, report, rows), bodies),))
        return replace(whole, present=state.present), report.numbered(bodies)._replace(brought_energy=brought), rows

    return advance


def _energy(model, state):
    """Kinetic and potential energy [J] of the moving bodies in the scene."""
    bodies = model.bodies._replace(inverse_mass=np.where(is_present(state), model.inverse_mass, 0.0))
    return sum(energies(bodies, state.position, state.orientation, state.twist))


def acted(model, state):
    """The state after gates, emitters and sinks have acted at its time."""
    flow, present = model.flow, state.present.copy()
    state = replace(state, present=present)
    _release_gates(model, flow, state)
    _drain(model, flow, state)
    return _pour(model, flow, state)


def _release_gates(model, flow, state):
    """Take the bodies of gates out that open now."""
    for gate in flow.releases:
        if state.present[gate.body, 1] < np.inf:
            continue
        if state.time >= gate.time - 1e-9 or (gate.speed == gate.speed and _slow(model, state, gate.speed)):
            state.present[gate.body, 1] = state.time


def _slow(model, state, speed):
    """True if every body in the scene that can move is slower than `speed` [m/s] at its centre of mass; at the first
    instant nothing has begun to move yet."""
    moving = is_present(state) & (model.inverse_mass > 0)
    return state.time > 0 and bool(np.all(np.sum(state.twist[moving, :3] ** 2, axis=1) < speed**2))


def _drain(model, flow, state):
    """Take the moving bodies out whose centre of mass is in a sink."""
    here = is_present(state) & (model.inverse_mass > 0)
    for low, high in flow.sinks:
        inside = here & np.all((state.position >= low) & (state.position <= high), axis=1)
        state.present[inside, 1] = state.time


def _pour(model, flow, state):
    """Let the bodies of emitters in that are due and have room."""
    position = state.position
    for pour in flow.pours:
        waiting = np.flatnonzero(state.present[pour.bodies, 0] == np.inf)
        for k in waiting:
            if pour.due[k] > state.time + 1e-9:
                break
            place = _free_place(model, state, position, pour, k)
            if place is None:
                break
            body = pour.bodies[k]
            position = position.copy()
            shift = position[body] - pour.places[k, 0]
            position[body] = place + shift
            state.present[body, 0] = state.time
    return replace(state, position=position)


def _free_place(model, state, position, pour, k):
    """The first place of an emitter's body k at which its bounding sphere meets that of no other moving body."""
    body = pour.bodies[k]
    others = np.flatnonzero(is_present(state) & (model.inverse_mass > 0))
    reach = (model.size[others] + model.size[body]) ** 2
    shift = position[body] - pour.places[k, 0]
    for place in pour.places[k]:
        if np.all(np.sum((position[others] - place - shift) ** 2, axis=1) > reach):
            return place
    return None


def states_at_start(model, state):
    """(Model, State) of the bodies in the scene at its first instant."""
    if model.flow is None:
        return model, state
    state = acted(model, state)
    bodies = np.flatnonzero(is_present(state))
    return _model_of(model, bodies), state_of(state, bodies)


def _model_of(model, bodies):
    return replace(model_of(model, bodies), flow=None)


def crossings(point, normal, before, after, moving):
    """+1, 0 or -1 (R,) for moving bodies whose position passed the plane along or against its normal."""
    sides = [(position - point) @ normal > 0 for position in (before, after)]
    return np.where(moving, sides[1].astype(int) - sides[0].astype(int), 0)
