"""Trajectories of any program as one .npz file: reading it, and refusing what does not fit together.

Its format is stated in docs/verify.md. Bodies are given at the centres of their masses, in SI units.
"""

import hashlib
import json
from pathlib import Path

import numpy as np

from .joints import HELD
from .mechanics import Instant
from .reading import NotVerifiable

# Arrays and their shapes: T states, S steps, R bodies, C contacts, E impulses of joints; those that must be there.
ARRAYS = {
    "time": "T", "position": "TR3", "orientation": "TR4", "velocity": "TR3", "spin": "TR3", "load": "SR6",
    "contact_step": "C", "contact_body": "C2", "contact_point": "C3", "contact_normal": "C3", "contact_impulse": "C3",
    "contact_gap": "C", "joint_step": "E", "joint_body": "E", "joint_impulse": "E6",
}  # fmt: skip
NEEDED = "time", "position", "orientation"
SOLIDS = {"sphere": ("radius",), "capsule": ("radius", "length"), "cylinder": ("radius", "length"), "box": ("sides",),
          "mesh": ("vertices", "triangles")}  # fmt: skip
# Corners of a box of sides 2 and its triangles, counter-clockwise from outside.
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
TRIANGLES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6],
             [0, 6, 4], [1, 5, 7], [1, 7, 3]]  # fmt: skip


class Trajectory:
    """T states of R bodies, and what is said of the T-1 steps between them.

    names (R,); shapes: lists (R) of solids as recording.json has them, about the centre of mass; mass (R,), 0 of what
    is held or driven; moves (R,); inertia (R,3,3); friction (R,R) coefficients; gravity (3,); apart (R,R): what never
    collides; joints; claims {unit: what the program claims to keep}; when: part of a step at which impulses act.
    time (T,), position (T,R,3), orientation (T,R,4), velocity and spin (T,R,3) or None; load (T-1,R,6) impulses and
    moments of others; contacts and wrenches: {name without its first word: array}, or None.
    """

    def __init__(self, path):
        self.path = path
        try:
            with np.load(path, allow_pickle=False) as archive:
                self.arrays = {name: archive[name] for name in archive.files}
            self.said = json.loads(str(self.arrays.pop("scene")))
        except (OSError, KeyError, ValueError) as error:
            raise NotVerifiable(f"{path}: is no trajectory ({error}); docs/verify.md has its format") from None
        bodies = self._of(self.said, "bodies", "the scene")
        self.names = np.array([self._of(body, "name", "a body") for body in bodies], dtype=object)
        count, self.place = len(bodies), {name: row for row, name in enumerate(self.names)}
        self.shapes = [[self._solid(solid, body["name"]) for solid in body.get("shapes", [])] for body in bodies]
        self.mass = np.array([body.get("mass", 0.0) for body in bodies], dtype=float)
        self.moves = self.mass > 0
        for body in np.array(bodies, dtype=object)[self.moves]:
            self._of(body, "inertia", f"body {body['name']!r}")
        given = [np.array(body.get("inertia", 1.0) if body.get("mass") else 1.0, dtype=float) for body in bodies]
        self.inertia = np.array([one if one.ndim == 2 else one * np.eye(3) for one in given])
        try:
            self.friction = np.broadcast_to(np.array(self.said.get("friction", 0.0), dtype=float), (count, count))
        except ValueError:
            self._refuse(f"friction is neither a number nor a table of {count} x {count}")
        self.gravity = np.array(self._of(self.said, "gravity", "the scene"), dtype=float)
        self.apart = np.eye(count, dtype=bool) | ~(self.moves[:, None] | self.moves)
        for a, b in self.said.get("excluded", []):
            self.apart[[self.number(a), self.number(b)], [self.number(b), self.number(a)]] = True
        self.joints = [self._joint(joint) for joint in self.said.get("joints", [])]
        self.claims, self.when = self.said.get("claims", {}), float(self.said.get("when", 0.0))
        sizes = {"R": count} | {digit: int(digit) for digit in "2346"}
        arrays = {name: self._array(name, shape, sizes) for name, shape in ARRAYS.items()}
        if self.arrays:
            self._refuse(f"has arrays that are not known: {', '.join(sorted(self.arrays))}")
        self.time, self.position, self.orientation, self.velocity, self.spin, load, *_ = arrays.values()
        self.h, self.step = np.diff(self.time), np.arange(len(self.time))
        if not np.all(self.h > 0):
            self._refuse("time does not rise from state to state")
        if len(self.time) < 2:
            self._refuse("has fewer than two states")
        if (self.velocity is None) != (self.spin is None):
            self._refuse("has one of velocity and spin alone")
        self.load = np.zeros((len(self.h), count, 6)) if load is None else load
        self.contacts, self.wrenches = (self._rows(arrays, first) for first in ("contact_", "joint_"))
        if self.contacts:
            self.contacts["normal"] /= np.linalg.norm(self.contacts["normal"], axis=1, keepdims=True)

    def _refuse(self, what):
        raise NotVerifiable(f"{self.path}: {what}; docs/verify.md has the format")

    def _of(self, given, key, owner):
        return given[key] if key in given else self._refuse(f"{owner} has no {key!r}")

    def number(self, name):
        """The row of the body of a name; -1 for the world."""
        return -1 if name == "world" else self._of(self.place, name, "the list of bodies")

    def _solid(self, given, name):
        kind = self._of(given, "type", f"a shape of {name!r}")
        for key in SOLIDS.get(kind) or self._refuse(f"body {name!r} has a shape {kind!r}; known are {list(SOLIDS)}"):
            self._of(given, key, f"the {kind} of {name!r}")
        solid = {"position": [0.0, 0.0, 0.0], "orientation": [1.0, 0.0, 0.0, 0.0], **given}
        if kind == "box":
            solid |= {"vertices": 0.5 * CORNERS * given["sides"], "triangles": TRIANGLES}
        return solid

    def _joint(self, given):
        """A joint as recording.json has it."""
        name = self._of(given, "name", "a joint")
        bodies, anchors = (self._of(given, key, f"joint {name!r}") for key in ("bodies", "anchors"))
        frames = given.get("frames", [np.eye(3)] * 2)
        return {"type": "fixed", **given, "ends": [self.number(one) for one in bodies], "anchors": anchors,
                "frames": frames}  # fmt: skip

    def _array(self, name, shape, sizes):
        """An array of a shape in letters, whose sizes the first array with them says; None where it may be left out."""
        found = self.arrays.pop(name, None)
        if found is None:
            return self._refuse(f"has no array {name!r}") if name in NEEDED else None
        found = np.array(found, dtype=float)
        fits = found.ndim == len(shape) and all(sizes.setdefault(one, size) == size
                                                for one, size in zip(shape, found.shape, strict=True))  # fmt: skip
        if not fits or not np.all(np.isfinite(found)):
            wanted = " x ".join(str(sizes.get(one, one)) for one in shape)
            self._refuse(f"{name!r} is {found.shape}, not finite numbers of {wanted}")
        sizes["S"] = sizes["T"] - 1
        return found

    def _rows(self, arrays, first):
        """The arrays whose names begin with `first`, by the rest of these, or None where none is there."""
        out = {name.removeprefix(first): of for name, of in arrays.items() if name.startswith(first)}
        if all(of is None for of in out.values()):
            return None
        for key in (key for key, of in out.items() if of is None and key != "gap"):
            self._refuse(f"has no array {first + key!r}")
        for key, most in (("step", len(self.h)), ("body", len(self.names))):
            out[key] = out[key].astype(int)
            if np.any((out[key] < 0) | (out[key] >= most)):
                self._refuse(f"{first}{key} is not within 0 and {most - 1}")
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
            "scene": self.said.get("name", Path(self.path).stem), "scene_digest": digest,
            "versions": {"program": self.said.get("program", "")}, "digests": {Path(self.path).name: digest},
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
