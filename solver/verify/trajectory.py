"""Trajectories of any program as one .npz file: reading it, and refusing what does not fit together.

Its format is stated in docs/verify.md. Bodies are given at the centres of their masses, in SI units.
"""

import hashlib
import json
import zipfile
import zlib
from pathlib import Path

import numpy as np

from .given import Given, NotVerifiable, are_numbers, are_units, inertia, joint, named, refuse, solid
from .joints import HELD
from .mechanics import Instant

# Arrays and their shapes: T states, S steps, R bodies, C contacts, E impulses of joints; those that must be there.
ARRAYS = {
    "time": "T", "position": "TR3", "orientation": "TR4", "velocity": "TR3", "spin": "TR3", "load": "SR6",
    "contact_step": "C", "contact_body": "C2", "contact_point": "C3", "contact_normal": "C3", "contact_impulse": "C3",
    "contact_gap": "C", "joint_step": "E", "joint_body": "E", "joint_impulse": "E6",
}  # fmt: skip
NEEDED = "time", "position", "orientation"
SCENE = "gravity", "friction", "bodies", "joints", "excluded", "reach", "when", "claims", "name", "program"
# Units of what is found of a trajectory, in which claims are made.
UNITS = "m", "m/s", "rad", "1", "J", "degrees"
# What reading a damaged archive may raise.
DAMAGED = (AttributeError, OSError, EOFError, KeyError, ValueError, TypeError, NotImplementedError, RuntimeError,
           zipfile.BadZipFile, zlib.error)  # fmt: skip


class Trajectory:
    """T states of R bodies, and what is said of the T-1 steps between them.

    names (R,); shapes: lists (R) of solids as recording.json has them, about the centre of mass; mass (R,), 0 of what
    is held or driven; moves (R,); inertia (R,3,3); friction (R,R) coefficients; gravity (3,); apart (R,R): what never
    collides; joints; claims {unit: what the program claims to keep}; reach [m] of contacts, or None; when: part of a
    step at which impulses act; name, program.
    time (T,), position (T,R,3), orientation (T,R,4), velocity and spin (T,R,3) or None; load (T-1,R,6) impulses and
    moments of others; contacts and wrenches: {name without its first word: array}, or None.
    """

    def __init__(self, path):
        self.path = path
        self.arrays, said = self._read()
        try:
            self._understand(said)
        except NotVerifiable as error:
            raise NotVerifiable(f"{path}: {error}") from None

    def _read(self):
        """All arrays but `scene`, and what this says."""
        try:
            with open(self.path, "rb") as file:
                archive = np.load(file, allow_pickle=False)
                arrays = {name: archive[name] for name in archive.files}
            return arrays, json.loads(str(arrays.pop("scene")[()]))
        except DAMAGED as error:
            said = error.strerror if isinstance(error, OSError) else " ".join(str(error).split())
            raise NotVerifiable(f"{self.path}: is no trajectory ({said}); docs/verify.md has its format") from None

    def _understand(self, said):
        self.said = scene = Given(said, "the scene", SCENE)
        bodies = [named(one, "body", ("name", "mass", "inertia", "shapes")) for one in scene.items("bodies")]
        self.names = np.array([body["name"] for body in bodies], dtype=object)
        count, self.place = len(bodies), {name: row for row, name in enumerate(self.names)}
        for row, name in enumerate(self.names):
            if name == "world" or self.place[name] != row:
                refuse(f"two bodies, or a body and the world, have the name {name!r}")
        self.moves = np.array(["mass" in body for body in bodies], dtype=bool)
        self.shapes = [[solid(one, name) for one in body.items("shapes")]
                       for body, name in zip(bodies, self.names, strict=True)]  # fmt: skip
        if not np.any(self.moves):
            refuse("no body has a 'mass': nothing moves")
        self.mass = np.array([body.numbers("mass", (), default=0.0, low=0.0) for body in bodies])
        self.inertia = np.array([inertia(body) if moves else np.eye(3)
                                 for body, moves in zip(bodies, self.moves, strict=True)])  # fmt: skip
        self.friction = np.broadcast_to(
            scene.numbers("friction", (), (count, count), default=np.array(0.0), low=0), (count, count))
        if np.any(self.friction != self.friction.T):
            scene.wrong("friction", "the same for a and b as for b and a")
        self.gravity = scene.numbers("gravity", (3,))
        self.apart = np.eye(count, dtype=bool) | ~(self.moves[:, None] | self.moves)
        for pair in scene.items("excluded"):
            a, b = (self._of(self.place, name, "the list of bodies") for name in self._pair(pair))
            self.apart[[a, b], [b, a]] = True
        self.joints = [joint(one, self.number) for one in scene.items("joints")]
        claims = Given(scene.said.get("claims", {}), "'claims' of the scene", UNITS)
        self.claims = {unit: float(claims.numbers(unit, (), low=0)) for unit in claims.said}
        self.reach = float(scene.numbers("reach", (), low=0)) if "reach" in scene else None
        self.when = float(scene.numbers("when", (), default=0.0, low=0))
        if self.when > 1:
            scene.wrong("when", "from 0 to 1")
        self.name, self.program = (scene.text(key, default) for key, default in
                                   (("name", Path(self.path).stem), ("program", "")))  # fmt: skip
        self._fit(count)

    def _fit(self, count):
        """Read the arrays, of so many bodies."""
        sizes = {"R": count} | {digit: int(digit) for digit in "2346"}
        arrays = {name: self._array(name, shape, sizes) for name, shape in ARRAYS.items()}
        if self.arrays:
            refuse(f"has arrays that are not known: {', '.join(sorted(self.arrays))}")
        self.time, self.position, self.orientation, self.velocity, self.spin, load, *_ = arrays.values()
        self.h, self.step = np.diff(self.time), np.arange(len(self.time))
        if not np.all(self.h > 0):
            refuse("time does not rise from state to state")
        if len(self.time) < 2:
            refuse("has fewer than two states")
        if (self.velocity is None) != (self.spin is None):
            refuse("has one of velocity and spin alone")
        self.load = np.zeros((len(self.h), count, 6)) if load is None else load
        self.contacts, self.wrenches = (self._rows(arrays, first) for first in ("contact_", "joint_"))
        for name in ("orientation", "contact_normal"):
            if arrays[name] is not None:
                self._all(name, arrays[name], are_units(arrays[name]), "of length 1")
        if self.contacts and np.any(self.contacts["body"][:, 0] == self.contacts["body"][:, 1]):
            refuse("contact_body has contacts of a body with itself")

    def _of(self, given, key, owner):
        known = isinstance(key, str) and key in given
        return given[key] if known else refuse(f"{owner} has no {key!r}")

    def _pair(self, pair):
        if not isinstance(pair, list) or len(pair) != 2 or pair[0] == pair[1]:
            refuse(f"'excluded' of the scene has {pair!r:.60}, not two bodies")
        return pair

    def number(self, name):
        """The row of the body of a name; -1 for the world."""
        return -1 if name == "world" else self._of(self.place, name, "the list of bodies")

    def _array(self, name, shape, sizes):
        """An array of a shape in letters, whose sizes the first array with them says; None where it may be left out."""
        found = self.arrays.pop(name, None)
        if found is None:
            return refuse(f"has no array {name!r}") if name in NEEDED else None
        fits = found.ndim == len(shape) and all(sizes.setdefault(one, size) == size
                                                for one, size in zip(shape, found.shape, strict=True))  # fmt: skip
        if not fits or found.dtype.kind not in "iuf":
            wanted = " x ".join(str(sizes.get(one, one)) for one in shape)
            refuse(f"{name!r} is {found.dtype} of {' x '.join(map(str, found.shape))}, not numbers of {wanted}")
        self._all(name, found, are_numbers(found), "finite")
        sizes["S"] = sizes["T"] - 1
        return found.astype(float)

    def _all(self, name, found, are, what):
        """Refuse an array of which not all entries, or rows, are what they must be."""
        for place in np.argwhere(~are)[:1]:
            at = ", ".join(map(str, place))
            refuse(f"{name!r} at [{at}] is {found[tuple(place)].tolist()}, not {what}")

    def _rows(self, arrays, first):
        """The arrays whose names begin with `first`, by the rest of these, or None where none is there."""
        out = {name.removeprefix(first): of for name, of in arrays.items() if name.startswith(first)}
        if all(of is None for of in out.values()):
            return None
        for key in (key for key, of in out.items() if of is None and key != "gap"):
            refuse(f"has no array {first + key!r}")
        for key, most in (("step", len(self.h)), ("body", len(self.names))):
            given, out[key] = out[key], out[key].astype(int)
            are = (given >= 0) & (given < most) & (given == out[key])
            self._all(first + key, given, are, f"a whole number within 0 and {most - 1}")
        return out

    def instant(self, state):
        """The bodies at a state, as an Instant; what does not move is not weighed."""
        columns = [of[state] for of in (self.position, self.orientation, self.velocity, self.spin)]
        return Instant(np.hstack(columns), np.where(self.moves, self.mass, 1.0), self.inertia)

    def poses(self, step, part):
        """Position (R,3) and orientation (R,4) at a part of a step."""
        q0, q1 = self.orientation[step], self.orientation[step + 1]
        q1 = np.where((q0 * q1).sum(axis=1, keepdims=True) < 0, -q1, q1)
        x = self.position[step] + part * (self.position[step + 1] - self.position[step])
        return x, q0 + part * (q1 - q0)

    def summary(self):
        """What it is, with the SHA-256 of the file."""
        digest = hashlib.sha256(Path(self.path).read_bytes()).hexdigest()
        return {
            "scene": self.name, "scene_digest": digest,
            "versions": {"program": self.program}, "digests": {Path(self.path).name: digest},
            "steps": len(self.h), "substeps": len(self.h), "missing": self.missing(),
            "contacts": len(self.contacts["step"]) if self.contacts else 0,
        }  # fmt: skip

    def driven(self):
        """Why the works of others are not known, or None."""
        motors = [one["name"] for one in self.joints if one.get("motor")]
        moved = [of for of in (self.position, self.velocity, self.spin) if of is not None]
        if any(np.any(np.ptp(of[:, ~self.moves], axis=0) != 0) for of in moved):
            return "bodies on given paths work on others"
        return f"motors work: {', '.join(motors)}" if motors else None

    def missing(self):
        """[(name, why)] of what cannot be found of it."""
        still = self.velocity is None and "velocity and spin are not given"
        found = [("motion, impulses, friction", still), ("energy", still or self.driven()),
                 ("momentum and Coulomb's law of recorded impulses", self.contacts is None and "no contacts are given")]
        found += [(f"gap of joint {one['name']}", one["type"] not in HELD and f"type {one['type']!r} is not known")
                  for one in self.joints]  # fmt: skip
        return [(name, why) for name, why in found if why]
