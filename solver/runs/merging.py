"""Bodies that fixed joints hold to each other for good are one body of the run: nothing can ever part them.

A group keeps the name, the frame and the place among the bodies of its first one. Taken together are rigid bodies
that move freely from the start, of one material, layers, damping and sleep, between which there is no other joint and
which do not collide with the same others. Joints within a group, and those beside another between the same bodies,
are left out.
"""

from collections import Counter, defaultdict
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..base.records import record
from ..dynamics import rotation
from ..model import body_mass
from ..scene import Motion, Scene
from ..shapes import Part
from ..shapes.compound import Compound


@record
class Merging:
    """scene: what is simulated; said: the Scene that it was made of; carrier (R,): body of `scene` that each of said's
    bodies is part of; joint (J,): joint of `scene` for each of said's, -1 for those left out."""

    scene: Scene
    said: Scene
    carrier: np.ndarray
    joint: np.ndarray

    def parts(self):
        """Where each of said's bodies is in its carrier: centre of mass (R,3) [m] from the carrier's, in the carrier's
        frame, and orientation (R,4) in it; those that are a body of their own are at 0, not turned."""
        own, carriers = self.said.bodies, self.scene.bodies
        arm, turn = np.zeros((len(own), 3)), np.tile([1.0, 0.0, 0.0, 0.0], (len(own), 1))
        for i in np.flatnonzero(self.within):
            carrier = carriers[self.carrier[i]]
            at, turn[i] = _within(carrier, own[i])
            center = body_mass(own[i], self.said.materials)[0]
            arm[i] = at + rotation.matrix(turn[i : i + 1])[0] @ center - carrier.center_of_mass
        return arm, turn

    @cached_property
    def within(self):
        """Which (R,) of said's bodies are part of another."""
        return np.bincount(self.carrier)[self.carrier] > 1

    def note(self):
        """Sentence on what is one body."""
        sizes = Counter(self.carrier.tolist())
        count, bodies = sum(n > 1 for n in sizes.values()), sum(n for n in sizes.values() if n > 1)
        what = "one body" if count == 1 else f"{count} bodies"
        return (f"{bodies} bodies that fixed joints without a breaking load hold to each other move as {what}; these "
                "joints tell no force (turn merge_fixed off to have it)")  # fmt: skip


def merging_of(scene):
    """The Merging of a Scene, None where there is nothing to take together. Scenes with deformable bodies, gates,
    emitters, counters or sinks stay as they are, and what is wrong with a scene is for compile_scene to say."""
    number = {body.name: i for i, body in enumerate(scene.bodies)}
    if len(number) < len(scene.bodies) or any(body.elastic is not None for body in scene.bodies):
        return None
    if scene.gates or scene.emitters or scene.counters or scene.sinks or scene.attachments:
        return None
    plain = [_is_plain(joint, scene.bodies, number) for joint in scene.joints]
    if not any(plain):
        return None
    whole = _Sets(len(scene.bodies))
    for joint, joins in zip(scene.joints, plain, strict=True):
        if joins:
            whole.join(*(number[name] for name in joint.bodies))
    carrier = _groups(scene, number, plain, whole)
    if (np.bincount(carrier) == 1).all():
        return None
    return _merged(scene, number, plain, carrier)


def _is_plain(joint, bodies, number):
    """Whether a joint holds two bodies that move freely to each other, for good."""
    if joint.type != "fixed" or joint.breaking is not None or joint.compliance or joint.switches or joint.assemble:
        return False
    ends = [number.get(name) for name in joint.bodies]
    return len(set(ends)) == 2 and None not in ends and all(
        bodies[i].motion == Motion.DYNAMIC and not bodies[i].switches for i in ends
    )  # fmt: skip


class _Sets:
    """Numbers that are joined to sets, each known by its lowest."""

    def __init__(self, count):
        self._above = list(range(count))

    def of(self, i):
        """The lowest number of the set of i."""
        while self._above[i] != i:
            i = self._above[i]
        return i

    def join(self, i, j):
        """Make one set of those of i and j; whether they were two."""
        i, j = sorted((self.of(i), self.of(j)))
        self._above[j] = i
        return i != j


def _groups(scene, number, plain, whole):
    """Lowest body (R,) of the group that each body is of."""
    apart = defaultdict(set)
    kept_whole = set()
    for joint, joins in zip(scene.joints, plain, strict=True):
        ends = [number.get(name, -1) for name in joint.bodies]
        if joins or len(ends) != 2:
            continue
        if min(ends) >= 0 and whole.of(ends[0]) == whole.of(ends[1]):
            # Another joint within: what it carries is asked for.
            kept_whole.add(whole.of(ends[0]))
        if not joint.collide:
            _part(apart, ends, whole)
    for pair in scene.excluded_pairs:
        _part(apart, [number.get(name, -1) for name in pair], whole)
    directed = scene.materials.directed()
    alike, carrier = {}, np.arange(len(scene.bodies))
    for i, body in enumerate(scene.bodies):
        root = whole.of(i)
        known = [material.name for material in scene.materials.materials]
        if root in kept_whole or body.material not in known or directed[known.index(body.material)]:
            continue
        kind = (root, body.material, str(body.layers), str(body.collides_with), str(body.damping), body.asleep,
                frozenset(apart[i]))  # fmt: skip
        carrier[i] = alike.setdefault(kind, i)
    return carrier


def _part(apart, pair, whole):
    """Note that two bodies of different sets do not collide."""
    i, j = pair if len(pair) == 2 else (-1, -1)
    if i >= 0 and j >= 0 and whole.of(i) != whole.of(j):
        apart[i].add(j)
        apart[j].add(i)


def _merged(scene, number, plain, carrier):
    """The Merging of bodies whose groups are known by their lowest body."""
    lead, place = np.unique(carrier, return_inverse=True)
    members = [np.flatnonzero(carrier == i) for i in lead]
    bodies = tuple(_one_body(scene, group) if len(group) > 1 else scene.bodies[group[0]] for group in members)
    name = {body.name: bodies[place[i]].name for i, body in enumerate(scene.bodies)}
    tied, joints, kept = _Sets(len(scene.bodies)), [], []
    for joint, joins in zip(scene.joints, plain, strict=True):
        ends = [int(carrier[number[one]]) for one in joint.bodies] if joins else []
        left_out = joins and not tied.join(*ends)
        kept.append(-1 if left_out else len(joints))
        if not left_out:
            joints.append(replace(joint, bodies=tuple(name.get(one, one) for one in joint.bodies)))
    pairs = {tuple(sorted(name.get(one, one) for one in pair)): None for pair in scene.excluded_pairs}
    # Bodies that are tied to each other never part, and need no contacts between them.
    ties = [tuple(sorted(name[one] for one in joint.bodies)) for joint, joins in zip(scene.joints, plain, strict=True)
            if joins]  # fmt: skip
    pairs |= dict.fromkeys(ties)
    made = replace(scene, bodies=bodies, joints=tuple(joints),
                   excluded_pairs=tuple(pair for pair in pairs if pair[0] != pair[1]))  # fmt: skip
    return Merging(made, scene, place, np.array(kept, dtype=np.int64))


def _one_body(scene, group):
    """The Body of bodies (numbers) that are one."""
    bodies = [scene.bodies[i] for i in group]
    first, parts, masses = bodies[0], [], []
    turn = rotation.matrix(_unit(first)[None])[0]
    for body in bodies:
        at, q = _within(first, body)
        own = rotation.matrix(q[None])[0]
        parts += _parts(body.shape, at, own, q)
        center, mass, inertia = body_mass(body, scene.materials)
        masses.append((mass, at + own @ center, own @ inertia @ own.T))
    mass = sum(one for one, _, _ in masses)
    center = sum(one * at for one, at, _ in masses) / mass
    inertia = sum(own + one * _square(at - center) for one, at, own in masses)
    velocity, spin = _motion(bodies, masses, mass, center, inertia, turn)
    return replace(
        first, shape=Compound(tuple(parts)), mass=float(mass), inertia=0.5 * (inertia + inertia.T),
        center_of_mass=tuple(center.tolist()), velocity=tuple(velocity.tolist()), angular_velocity=tuple(spin.tolist()),
    )  # fmt: skip


def _motion(bodies, masses, mass, center, inertia, turn):
    """Velocity and angular velocity (3,) with the momentum of all bodies."""
    velocities, spins = (np.array([getattr(body, name) for body in bodies], dtype=float)
                         for name in ("velocity", "angular_velocity"))  # fmt: skip
    if np.ptp(velocities, axis=0).max() == 0.0 and not spins.any():
        # Exactly what was said of each.
        return velocities[0], spins[0]
    velocity = sum(one * v for (one, _, _), v in zip(masses, velocities, strict=True)) / mass
    momentum = sum(turn @ own @ turn.T @ w + one * np.cross(turn @ (at - center), v)
                   for (one, at, own), v, w in zip(masses, velocities, spins, strict=True))  # fmt: skip
    return velocity, np.linalg.solve(turn @ inertia @ turn.T, momentum)


def _square(arm):
    return arm @ arm * np.eye(3) - np.outer(arm, arm)


def _unit(body):
    """Orientation (4,) of a body, of length one."""
    q = np.array(body.orientation, dtype=float)
    return q / np.linalg.norm(q)


def _within(first, body):
    """Position (3,) and orientation (4,) of a body's frame in that of the first."""
    back = _unit(first) * (1.0, -1.0, -1.0, -1.0)
    at = np.array(body.position, dtype=float) - np.array(first.position, dtype=float)
    return rotation.matrix(back[None])[0] @ at, rotation.multiply(back, _unit(body))


def _parts(shape, at, turn, q):
    """Parts of a shape in a frame in which it is at `at` (3,), turned by `turn` (3,3), the quaternion q (4,)."""
    own = shape.parts if shape.type == Compound.type else (Part(shape),)
    places = [at + turn @ np.array(part.position, dtype=float) for part in own]
    turns = [rotation.multiply(q, np.array(part.orientation, dtype=float)) for part in own]
    return [Part(part.shape, tuple(place.tolist()), tuple(turned.tolist()))
            for part, place, turned in zip(own, places, turns, strict=True)]  # fmt: skip
