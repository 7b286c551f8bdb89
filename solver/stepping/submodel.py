"""The Model and the State of some of the bodies, and putting states of parts together again."""

from dataclasses import replace

import numpy as np

from ..collision.contacts import chosen, merged
from ..collision.subset import collision_of, with_movable
from ..dynamics.jointed.state import joints_of
from ..state import State

# Fields of Model with one entry a body; all others hold for the whole scene.
PER_BODY = (
    "names", "shapes", "motion", "keys", "center_of_mass", "mass", "inverse_mass", "inertia", "inverse_inertia",
    "size", "material", "gyroscopic", "symmetry", "elastic", "surfaces", "damping",
)  # fmt: skip


def model_of(model, bodies):
    """Model of `bodies` (B,) ascending, numbered 0..B-1."""
    columns = {}
    for name in PER_BODY:
        column = getattr(model, name)
        columns[name] = tuple(column[i] for i in bodies) if isinstance(column, tuple) else column[bodies]
    return replace(model, **columns, collision=collision_of(model.collision, bodies),
                   joints=model.joints.of(bodies, model.body_count))  # fmt: skip


def frozen(model, still):
    """The model in which the bodies `still` (R,) bool do not move freely, nor collide with what does not, too."""
    free = ~still
    return replace(
        model,
        inverse_mass=np.where(free, model.inverse_mass, 0.0),
        inverse_inertia=np.where(free[:, None, None], model.inverse_inertia, 0.0),
        collision=with_movable(model.collision, model.collision.allowed.movable & free),
    )


def renumbered(contacts, number):
    """The contacts with body i called number[i]."""
    return contacts._replace(body_a=number[contacts.body_a], body_b=number[contacts.body_b])


def _among(state, bodies):
    """(contacts (C,) of the state that are among `bodies`, new number (R,) of each body or -1)."""
    number = np.full(len(state.position), -1, dtype=np.int64)
    number[bodies] = np.arange(len(bodies))
    return (number[state.contacts.body_a] >= 0) & (number[state.contacts.body_b] >= 0), number


def state_of(state, bodies):
    """State of `bodies` (B,) ascending, with the contacts among them."""
    inside, number = _among(state, bodies)
    return State(
        state.time, state.position[bodies], state.orientation[bodies], state.twist[bodies],
        renumbered(chosen(state.contacts, inside), number), state.impulses[inside],
        horizon=state.horizon[bodies] if len(state.horizon) else state.horizon,
        since=state.since[bodies] if len(state.since) else state.since,
        joints=joints_of(state).of(bodies, len(state.position)),
    )  # fmt: skip


def taken(done, bodies):
    """What of a step's (State, StepReport, rows) is that of `bodies` (B,); the report is left as it is."""
    state, report, rows, *_ = done
    return state_of(state, bodies), report, rows[_among(state, bodies)[0]]


def put_together(whole, parts):
    """(State, rows) of all bodies of the State `whole` from parts ((State, StepReport, rows, ...), bodies (B,)).

    Of bodies in several parts, those that do not move freely in all of them, the last part counts. Contacts come in the
    order of bodies and keys.
    """
    position, orientation, twist = whole.position.copy(), whole.orientation.copy(), whole.twist.copy()
    horizon, since = np.zeros(len(position)), np.zeros(len(position))
    sets, impulses, rows = [], [], []
    for (state, _, part_rows, *_), bodies in parts:
        position[bodies], orientation[bodies], twist[bodies] = state.position, state.orientation, state.twist
        horizon[bodies], since[bodies] = state.horizon, state.since
        sets.append(renumbered(state.contacts, bodies))
        impulses.append(state.impulses)
        rows.append(part_rows)
    contacts, order = merged(sets)
    joints = joints_of(whole).with_parts([(joints_of(part[0]), bodies, len(position)) for part, bodies in parts])
    state = State(state.time, position, orientation, twist, contacts, np.concatenate(impulses)[order], horizon=horizon,
                  since=since, joints=joints)  # fmt: skip
    return state, np.concatenate(rows)[order]
