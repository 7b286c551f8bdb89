"""What is held and let go at times: bodies that follow keyed poses or move freely, and joints that hold or do not.

How scenes are built in which something hangs until frame 30 and then falls, or is taken, carried and put down. A body
that is let go has the velocity of its keys: a new Model, the same State. One that is held again is where its keys are,
from one step to the next, or stands where it is without. A joint that lets go is as one that has broken, and may hold
again.
"""

import dataclasses
import operator
from collections import Counter
from math import ceil, inf

import numpy as np

from ..base.refusal import SceneError
from ..collision.search_memory import SearchMemory
from ..dynamics.jointed.momentum_kernels import keep_momentum, nothing_closed
from ..dynamics.jointed.projection import closed_poses
from ..dynamics.jointed.rows import linearised_at
from ..dynamics.kinematic import keyed_poses, pose_at
from ..dynamics.report_kernels import energies
from ..dynamics.rigid import velocities_at_end
from ..model import compile_scene
from ..scene import Body, Motion
from .sleeping import wake


def on_keys(scene):
    """The Scene with its rigid bodies that begin on keys where these are at 0 s, in place of a pose left out.
    SceneError for one that says otherwise."""
    bodies = tuple(_on_keys(body) if body.motion == Motion.KINEMATIC and body.elastic is None else body
                   for body in scene.bodies)  # fmt: skip
    return scene if all(map(operator.is_, bodies, scene.bodies)) else dataclasses.replace(scene, bodies=bodies)


def _on_keys(body):
    try:
        with np.errstate(all="ignore"):
            place, turned = pose_at(body.keys, 0.0)
        away = {"position": np.abs(np.subtract(body.position, place)).max() / max(1.0, np.abs(place).max()),
                "orientation": 1.0 - abs(np.dot(body.orientation, turned))}  # fmt: skip
    except (AttributeError, IndexError, TypeError, ValueError):
        # What is wrong with keys or poses is said where the scene is compiled.
        return body
    begin = {"position": tuple(place.tolist()), "orientation": tuple(turned.tolist())}
    # In m, or of the way to the origin where that is longer than 1 m: what was keyed by other programs is as near.
    pose = {name: begin[name] for name, way in away.items() if way > 1e-3}
    for name, keyed in pose.items():
        if tuple(getattr(body, name)) != getattr(Body, name):
            raise SceneError(f"body {body.name!r}: {name} is {list(getattr(body, name))}, but its keys begin with "
                             f"{list(keyed)}; leave the {name} out, or let both agree")  # fmt: skip
    return dataclasses.replace(body, **pose) if pose else body


class Releases:
    """The times at which a scene's bodies are let go or held again, in the order of their steps; jumped: {body: [time
    [s], way [m]]} of those that were held again farther from their keys than their own size."""

    def __init__(self, scene, options, jumped=None):
        self.scene, self.options, self.jumped = scene, options, {} if jumped is None else jumped
        self.left = sorted((_first_step(time, options.time_step), body.name)
                           for body in scene.bodies for time in body.switches)  # fmt: skip

    @property
    def next(self):
        """Steps made before the next switch, infinite for none."""
        return self.left[0][0] if self.left else inf

    def due(self, done, model, state, settings):
        """Model, State and StepSettings for the step after `done` steps, anew where bodies are switched before it, and
        the energy [J] that these bring."""
        brought = 0.0
        while self.next <= done:
            # A run that goes on from a later step has those before it behind it.
            step = done - 1 if self.next < done else done
            many = Counter(name for at, name in self.left if at <= step)
            self.left = [entry for entry in self.left if entry[0] > step]
            self.scene = dataclasses.replace(self.scene, bodies=tuple(
                dataclasses.replace(body, motion=_other(body)) if many[body.name] % 2 else body
                for body in self.scene.bodies
            ))  # fmt: skip
            options, before = self.options, model.bodies
            model, _ = compile_scene(
                self.scene, options.linear_damping, options.angular_damping, options.contact_generator
            )
            # What is remembered of pairs belongs to the old model's collision.
            settings = dataclasses.replace(settings, memory=SearchMemory())
            if step == done:
                brought = _brought_energy(before, model.bodies, state, state)
                state = self._switched(model, state, np.isin(model.names, list(many)))
        return model, state, settings, brought

    def _switched(self, model, state, now):
        """The State with the bodies `now` (R,) that are held again where their keys are; what sleeps by them wakes."""
        position, orientation, twist = state.position.copy(), state.orientation.copy(), state.twist.copy()
        twist[now & (model.inverse_mass == 0)] = 0.0
        keyed_poses(model.paths, state.time, position, orientation)
        held = now & np.isin(np.arange(model.body_count), model.kinematic)
        way = np.linalg.norm(position - state.position, axis=1)
        for i in np.flatnonzero(held & (way > model.size)):
            self.jumped[model.names[i]] = [state.time, float(way[i])]
        for column, before in ((position, state.position), (orientation, state.orientation)):
            column[~held] = before[~held]
        contacts, rest = state.contacts, state.rest
        if len(rest):
            woken = now.copy()
            for one, other in ((contacts.body_a, contacts.body_b), (contacts.body_b, contacts.body_a)):
                woken[other[now[one]]] = True
            rest = np.where(now, 0, wake(rest, woken))
        return dataclasses.replace(state, position=position, orientation=orientation, twist=twist, rest=rest)


def _other(body):
    """The motion that a body changes to."""
    if body.motion != Motion.DYNAMIC:
        return Motion.DYNAMIC
    return Motion.STATIC if body.keys is None else Motion.KINEMATIC


def jump_notes(jumped):
    """Sentences on the bodies that jumped to their keys; see Releases."""
    return [f"body {name!r}: jumps by {way:.3g} m to where it is held again at {time:.4g} s; more than its own "
            "size" for name, (time, way) in jumped.items()]  # fmt: skip


class Switches:
    """The times at which joints let go or hold again, in the order of their steps; done: steps made before; jumped: as
    in Releases, of bodies that joints took farther than their own size."""

    def __init__(self, scene, options, done=0, jumped=None):
        self.jumped = {} if jumped is None else jumped
        times = [(_first_step(time, options.time_step), joint.name, number % 2 == 0)
                 for joint in scene.joints for number, time in enumerate(joint.switches)]  # fmt: skip
        self.left = sorted(entry for entry in times if entry[0] >= done)

    @property
    def next(self):
        """Steps made before the next switch, infinite for none."""
        return self.left[0][0] if self.left else inf

    def due(self, done, model, state):
        """(the State for the step after `done` steps, the energy [J] that joints bring which hold again and take bodies
        to where they hold them); what sleeps wakes where a joint is switched."""
        if not self.left or self.left[0][0] > done:
            return state, 0.0
        broken, value, ends, meets = state.joints.broken.copy(), state.joints.value.copy(), [], False
        while self.left and self.left[0][0] <= done:
            _, name, lets_go = self.left.pop(0)
            joint = state.joints.tables.names.index(name)
            broken[joint] = lets_go
            if not lets_go:
                meets = True
                own = _counted_alone(state.joints.tables, joint)
                value[own] = _nearest(state)[own]
            ends += [body for body in state.joints.tables.per_joint.ends[joint] if body >= 0]
        rest = state.rest
        if len(rest):
            woken = np.zeros(len(rest), dtype=bool)
            woken[ends] = True
            rest = wake(rest, woken)
        joints = dataclasses.replace(state.joints, broken=broken, value=value)
        state = dataclasses.replace(state, joints=joints, rest=rest)
        return self._met(model, state) if meets else (state, 0.0)

    def _met(self, model, state):
        """(a State whose joints hold, the energy [J] that taking its bodies there brings). Bodies keep their spins in
        their own axes, and what floats keeps its momentum and where it can its kinetic energy."""
        before = state.position, state.orientation, state.twist
        position, orientation, value = closed_poses(model, state.joints, *before[:2])
        twist = velocities_at_end(model.bodies, before, orientation, orientation, orientation)
        after = position, orientation, twist
        nothing, still = (np.zeros((0, 2, 6)), np.zeros(0, dtype=np.int64), np.zeros(0)), nothing_closed(len(position))
        pressed = (state.contacts.body_a[:0],) * 2, np.zeros(1, dtype=np.int64), np.zeros(0), np.zeros(0)
        keep_momentum(model.joint_tables, model.bodies, state.joints.broken, (position, position), nothing, before,
                      after, ((twist, twist, 0.0), pressed, still[1:]))  # fmt: skip
        way = np.linalg.norm(position - before[0], axis=1)
        for i in np.flatnonzero(way > model.size):
            self.jumped[model.names[i]] = [state.time, float(way[i])]
        met = dataclasses.replace(state, position=position, orientation=orientation, twist=twist,
                                  joints=dataclasses.replace(state.joints, value=value))  # fmt: skip
        return met, _brought_energy(model.bodies, model.bodies, state, met)


def _counted_alone(tables, joint):
    """Functions (n,) of a joint that no other one, as a gear, counts the turns of."""
    rows, start = tables.rows, tables.per_joint.function_start
    others = rows.function[np.repeat(rows.joint, np.diff(rows.start)) != joint]
    return np.setdiff1d(np.arange(start[joint], start[joint + 1]), others)


def _nearest(state):
    """Functions (F,) of the joints of a State without whole turns: what turned while a joint was off turns back by the
    shortest way."""
    joints = state.joints
    return linearised_at(joints.tables, np.zeros_like(joints.value), state.position, state.orientation).value


def _brought_energy(before, after, state, then):
    """Energy [J] that moving bodies bring into the ledger where the arrays of bodies `before` become `after`, less that
    of those which are held again, and their State becomes `then`."""
    was, poses = ((one.position, one.orientation, one.twist) for one in (state, then))
    return sum(energies(after, *poses)) - sum(energies(before, *was))


def _first_step(release, time_step):
    """Number of the last step before the release; one that round-off puts just after it counts."""
    return max(0, ceil(release / time_step - 1e-9))
