"""What a run tells of the bodies and joints that its scene names, where some of them are one body: see merging.py."""

from dataclasses import replace

import numpy as np

from ..collision.contacts import chosen
from ..dynamics import rotation
from ..dynamics.jointed.readings import WIDTH
from ..model import body_mass, body_size
from ..scene import WORLD
from ..stepping.step_report import NUMBERS
from .merging import merging_of

# Columns of a step's numbers that are bodies, and of a joint's readings that are loads.
BODIES = [NUMBERS.index(name) for name in ("worst_body", "worst_other")]
LOADS = slice(4, 10)


class AsSimulated:
    """Tells of every body and joint as it is simulated."""

    def poses(self, poses):
        """Position, orientation and twist (...,R,13)."""
        return poses

    def joints(self, readings):
        """Readings (...,J,WIDTH)."""
        return readings

    def steps(self, numbers):
        """Numbers (S,F) of StepReports."""
        return numbers

    def events(self, events):
        """Events of a step."""
        return events

    def state(self, state):
        """A State from which another run may start."""
        return state

    def header(self, header, said, swung):
        """What a run's header says of bodies and joints; "swung": {name: pose (7,) of the shape frame in the Scene
        `said`} of what begins elsewhere, the simulated bodies `swung` and their parts."""
        return {**header, "swung": {body.name: [*map(float, body.position), *map(float, body.orientation)]
                                    for i, body in enumerate(said.bodies) if self.body(i) in swung}}  # fmt: skip

    def body(self, number):
        """Number of the simulated body that a body of the scene is a part of."""
        return number

    notes = ()


class AsSaid(AsSimulated):
    """Tells of every body and joint of the scene that a Merging was made of."""

    def __init__(self, merging):
        self._merging = merging
        self._carrier = merging.carrier
        self._arm, self._turn = merging.parts()
        self._within = np.flatnonzero(merging.within)
        # The body that a body of the run is named after.
        self._lead = np.array([np.flatnonzero(merging.carrier == i)[0] for i in range(len(merging.scene.bodies))])
        self.notes = (merging.note(),)

    def poses(self, poses):
        """Those of the parts follow from their carriers."""
        told = poses[..., self._carrier, :]
        some = told[..., self._within, :]
        turned = some[..., 3:7]
        arm = np.einsum("...bij,bj->...bi", rotation.matrix(turned), self._arm[self._within])
        some[..., :3] += arm
        some[..., 3:7] = rotation.multiply(turned, np.broadcast_to(self._turn[self._within], turned.shape))
        some[..., 7:10] += np.cross(some[..., 10:13], arm)
        told[..., self._within, :] = some
        return told

    def joints(self, readings):
        """Those left out are shut, and tell no load."""
        told = np.zeros((*readings.shape[:-2], len(self._merging.joint), WIDTH))
        there = self._merging.joint >= 0
        told[..., there, :] = readings[..., self._merging.joint[there], :]
        told[..., ~there, LOADS] = np.nan
        return told

    def steps(self, numbers):
        """Bodies by the numbers they have in the scene."""
        told = np.array(numbers, dtype=np.float64)
        for column in BODIES:
            told[..., column] = self._numbers(told[..., column])
        return told

    def events(self, events):
        """Bodies by the numbers they have in the scene."""
        return tuple(event._replace(body=int(self._numbers(event.body))) for event in events)

    def _numbers(self, bodies):
        bodies = np.asarray(bodies, dtype=np.int64)
        return np.where(bodies >= 0, self._lead[np.maximum(bodies, 0)], -1)

    def state(self, state):
        """Without the contacts of bodies that are parts: they are found anew."""
        poses = self.poses(np.concatenate([state.position, state.orientation, state.twist], axis=1))
        alone = ~np.isin(np.arange(len(self._lead)), self._carrier[self._within])
        contacts, impulses = state.contacts, state.impulses
        if contacts is not None and contacts.count:
            kept = alone[contacts.body_a] & alone[contacts.body_b]
            contacts, impulses = chosen(contacts, kept), impulses[kept]
            ends = (self._lead[column].astype(column.dtype) for column in (contacts.body_a, contacts.body_b))
            contacts = contacts._replace(**dict(zip(("body_a", "body_b"), ends, strict=True)))
        own = {name: getattr(state, name) for name in ("rest", "horizon", "since", "present")}
        own = {name: values[self._carrier] if len(values) else values for name, values in own.items()}
        return replace(state, position=poses[:, :3], orientation=poses[:, 3:7], twist=poses[:, 7:],
                       contacts=contacts, impulses=impulses, **own)  # fmt: skip

    def body(self, number):
        """That of its carrier."""
        return int(self._carrier[number])

    def header(self, header, said, swung):
        """Names, masses, centres of mass and sizes are those of the scene's bodies."""
        header, carrier = super().header(header, said, swung), self._carrier
        for name in ("motion", "directed", "mass", "size", "center_of_mass"):
            header[name] = [header[name][i] for i in carrier]
        for i in self._within:
            body = said.bodies[i]
            center, mass, _ = body_mass(body, said.materials)
            header["center_of_mass"][i], header["mass"][i] = center.tolist(), float(mass)
            header["size"][i] = body_size(body.shape, center)
        header["names"] = [body.name for body in said.bodies]
        header["joints"] = [joint.name for joint in said.joints]
        header["joint_types"] = [joint.type for joint in said.joints]
        number = {WORLD: -1} | {body.name: number for number, body in enumerate(said.bodies)}
        header["joint_bodies"] = [[number.get(name, -1) for name in joint.bodies] for joint in said.joints]
        # Of nodes there are none: see merging_of.
        header["node_start"] = [0] * (len(said.bodies) + 1)
        return header


def taken_together(scene, options, start=None, watch=None):
    """(Scene to simulate, what is told of it): bodies that fixed joints hold for good are one, unless what acts in
    these joints is to be known, or states are given from or to outside, which have every body."""
    known = options.store_contacts or start is not None or watch is not None
    merging = merging_of(scene) if options.merge_fixed and scene.joints and not known else None
    return (scene, AsSimulated()) if merging is None else (merging.scene, AsSaid(merging))
