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


def model_of(model, bodies, touching=True):
    """Model of `bodies` (B,) ascending, numbered 0..B-1; without what contacts are found by where not `touching`."""
    columns = {}
    for name in PER_BODY:
        column = getattr(model, name)
        columns[name] = tuple(column[i] for i in bodies) if isinstance(column, tuple) else column[bodies]
    part = replace(model, **columns, collision=collision_of(model.collision, bodies) if touching else None,
                   joints=model.joints.of(bodies, model.body_count))  # fmt: skip
    if not (touching and model.soft.any()):
        return part
    number = _numbers(bodies, model.body_count)
    colliders = np.flatnonzero(number[model.collision.geometry.body] >= 0)
    surfaces = tuple(
        None if one is None else one._replace(collider=int(np.searchsorted(colliders, one.collider)))
        for one in part.surfaces
    )
    held = model.attachments.chosen(_attached_to(model, bodies))
    return replace(part, surfaces=surfaces, attachments=held._replace(body=number[held.body]))


def part_of(model, bodies, touching=True):
    """model_of, made once while the same bodies are asked for again and again."""
    key = bodies.tobytes(), touching
    if key not in model.parts:
        if len(model.parts) > model.body_count:
            model.parts.clear()
        model.parts[key] = model_of(model, bodies, touching)
    return model.parts[key]


def _numbers(bodies, count):
    """New number (R,) of each of `count` bodies among `bodies` (B,), or -1."""
    number = np.full(count, -1, dtype=np.int64)
    number[bodies] = np.arange(len(bodies))
    return number


def _attached_to(model, bodies):
    """Which attachments (A,) bool are between some of the bodies (B,)."""
    return (_numbers(bodies, model.body_count)[model.attachments.body] >= 0).all(axis=1)


def _nodes_of(model, bodies):
    """Numbers of the nodes of some of the bodies."""
    return np.concatenate([np.zeros(0, np.int64), *(np.arange(*model.node_start[[b, b + 1]]) for b in bodies)])


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
    number = _numbers(bodies, len(state.position))
    return (number[state.contacts.body_a] >= 0) & (number[state.contacts.body_b] >= 0), number


def state_of(state, bodies, model=None):
    """State of `bodies` (B,) ascending, with the contacts among them; with the nodes of those that are deformable in a
    Model, where one is given."""
    inside, number = _among(state, bodies)
    nodes = None
    if model is not None and model.soft[bodies].any():
        nodes = state.nodes.of(_nodes_of(model, bodies), bodies, _attached_to(model, bodies))
    return State(
        state.time, state.position[bodies], state.orientation[bodies], state.twist[bodies],
        renumbered(chosen(state.contacts, inside), number), state.impulses[inside],
        horizon=state.horizon[bodies] if len(state.horizon) else state.horizon,
        since=state.since[bodies] if len(state.since) else state.since, nodes=nodes,
        joints=joints_of(state).of(bodies, len(state.position)),
    )  # fmt: skip


def taken(done, bodies):
    """What of a step's (State, StepReport, rows) is that of `bodies` (B,); the report is left as it is."""
    state, report, rows, *_ = done
    return state_of(state, bodies), report, rows[_among(state, bodies)[0]]


def put_together(whole, parts, model=None):
    """(State, rows) of all bodies of the State `whole` from parts ((State, StepReport, rows, ...), bodies (B,)).

    Of bodies in several parts, those that do not move freely in all of them, the last part counts. Contacts come in the
    order of bodies and keys. model: the Model of all, where some are deformable.
    """
    position, orientation, twist = whole.position.copy(), whole.orientation.copy(), whole.twist.copy()
    horizon, since = np.zeros(len(position)), np.zeros(len(position))
    nodes, sets, impulses, rows = None if model is None else whole.nodes.copy(), [], [], []
    for (state, _, part_rows, *_), bodies in parts:
        position[bodies], orientation[bodies], twist[bodies] = state.position, state.orientation, state.twist
        horizon[bodies] = state.horizon if len(state.horizon) else 0.0
        since[bodies] = state.since if len(state.since) else 0.0
        sets.append(renumbered(state.contacts, bodies))
        impulses.append(state.impulses)
        rows.append(part_rows)
        if state.nodes is not None:
            nodes.put(state.nodes, _nodes_of(model, bodies), bodies, _attached_to(model, bodies))
    contacts, order = merged(sets)
    joints = joints_of(whole).with_parts([(joints_of(part[0]), bodies, len(position)) for part, bodies in parts])
    state = State(state.time, position, orientation, twist, contacts, np.concatenate(impulses)[order], horizon=horizon,
                  since=since, nodes=nodes, joints=joints)  # fmt: skip
    return state, np.concatenate(rows)[order]
