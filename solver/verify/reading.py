"""The files of a recorded run as arrays, and what follows from them before anything is judged."""

import hashlib
import json
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np

from .elastic import EXPONENTS, Elastic
from .given import NotVerifiable, are_numbers
from .joints import other_ends
from .laws import Side, pushes
from .mechanics import Instant, angle_between, connected, turned_freely
from .reduced import Reduced, middles
from .soft import NODE, soft_substeps

# What is checked and how, see docs/verify.md.
STEPPERS = ("moreau", "semi_implicit")
# What a deformable body may have that is not checked.
NOT_CHECKED = {"pressure": "gas in it", "goals": "goals", "attached": "attachments", "keyed_pins": "pins that move"}
PARTS = "body", "contact", "joint", "node", "stencil"


# What must be in the files of JSON.
NEEDED = {
    "header": ("options", "step_fields", "joints", "reached", "size", "motion", "digest", "scene", "versions"),
    "recording": ("names", "gravity", "columns", "mass", "shapes", "joints", "deformable"),
}


def _entries(needed):
    """What reads the bytes of a file of JSON with these entries, and the checksum of all but itself."""
    def read(data):
        found = json.loads(data)
        rest = json.dumps({name: of for name, of in found.items() if name != "checksum"}, sort_keys=True)
        if found["checksum"] != zlib.crc32(rest.encode()):
            raise ValueError("was changed")
        return found | {name: found[name] for name in needed}

    return read


class Run:
    """A recorded run of S substeps.

    header, constants: what the files say; names (R,) of bodies; gravity (3,); steps: {field: (T,)} that the run reports
    of each step; frames (F,R,13) of all bodies, node_records (F,n) of nodes; readings (F,J,11) of joints. step,
    time, length, elapsed, horizon (S,): of each substep. Its bodies (N rows in all): body (N,), moves (N,), of (N,)
    their substep, mass (N,), inertia (N,3,3), size (N,); start, push, end: Instants. Its contacts (C rows): contact_of
    (C,) substep, a and b (C,) rows of bodies, point, normal, tangent (C,3), gap (C,), impulse, held, asked (C,4); those
    of rows stencil_contact touch nodes as stencils say; sides: what they do to a and to b. Its joints (E rows):
    joint_of (E,) substep, joint (E,), at (E,) row of a body, other (E,) row of its other body,
    coupled (E,): whether that moves freely, wrench (E,6). loads:
    rows (2C+E,) and impulses with moments about the centre (2C+E,6) of all contacts at a, at b, and of joints. Its
    nodes (M rows): node_of (M,) substep, node {name of NODE: (M,3)}; groups [(body, rows)] of deformable bodies, of
    rows group_row (G,) of bodies, soft what is found of these.

    before, damped, free (N,6): twists where impulses act, without these: from the start, with damping, with gravity,
    too; speed (N,) [m/s] that bodies have at most; strays: how far poses (N,3) [m], (N,) [rad] end from where
    velocities alone take them.
    """

    def __init__(self, folder):
        self.folder, self.digests = Path(folder), {}
        self.header, self.constants = (self._file(f"{name}.json", _entries(needed)) for name, needed in NEEDED.items())
        stepper = self.header["options"]["stepper"]
        if stepper not in STEPPERS:
            raise NotVerifiable(f"{folder}: stepper {stepper!r} cannot be verified; choose {STEPPERS[0]}")
        names, fields = map(str, self.constants["names"]), self.header["step_fields"]
        self.names = np.array(list(names), dtype=object)
        self.gravity, joints = np.array(self.constants["gravity"], dtype=float), len(self.header["joints"])
        self.steps = dict(zip(fields, self._numbers("steps.bin").reshape(-1, len(fields)).T, strict=True))
        frames = self._numbers("frames.bin").reshape(-1, 1 + 13 * len(self.names))
        self.frame_time, self.frames = frames[:, 0], frames[:, 1:].reshape(len(frames), len(self.names), 13)
        self.readings = self._numbers("joints.bin").reshape(-1, joints, 11) if joints else np.zeros((0, 0, 11))
        self._read_deformables()
        self._read_substeps(self.constants["columns"])
        self._group_nodes()
        self.sides, self.other = [Side(self, side) for side in range(2)], other_ends(self)
        self.coupled = (self.other >= 0) & self.moves[self.other]
        pushed = [(side.rows, np.einsum("cij,ci->cj", side.J, self.impulse)) for side in self.sides]
        self.loads = [np.concatenate(every) for every in zip(*pushed, (self.at, self.wrench), strict=True)]
        self._move()
        self.soft = soft_substeps(self, pushes(self))

    def _file(self, name, read):
        """What `read` makes of the bytes of a file, whose SHA-256 is kept."""
        try:
            data = (self.folder / name).read_bytes()
            self.digests[name] = hashlib.sha256(data).hexdigest()
            return read(data)
        except (FileNotFoundError, NotADirectoryError):
            known = (self.folder / "header.json").exists()
            remedy = "simulate it again with --contacts, of all steps" if known else "name the folder of a run"
            raise NotVerifiable(f"{self.folder}: has no {name}; {remedy}") from None
        except OSError as error:
            raise NotVerifiable(f"{self.folder / name}: cannot be read ({error.strerror}); simulate again") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise NotVerifiable(f"{self.folder / name}: is damaged, or of another version; simulate again") from None

    def _numbers(self, name):
        """The numbers in a file, which is not there if nothing was written to it."""
        size = self.header["reached"][name]
        data = self._file(name, lambda data: data[:size]) if size else b""
        if len(data) < size:
            raise NotVerifiable(f"{self.folder / name}: is shorter than the run says; simulate again")
        return np.frombuffer(data)

    def _read_substeps(self, columns):
        data, at, heads, parts = self._numbers("substeps.bin"), 0, [], {name: [] for name in PARTS}
        if not np.all(are_numbers(data)):
            raise ValueError("a number is not finite")
        while at < len(data):
            heads.append(data[at : at + columns["head"]])
            at += columns["head"]
            for name, count in zip(PARTS, heads[-1][5:], strict=True):
                first, at = at, at + int(count) * columns[name]
                parts[name].append(data[first:at].reshape(-1, columns[name]))
        if not len(data):
            raise NotVerifiable(f"{self.folder}: has no step in which a body was awake; there is nothing to check")
        if at != len(data):
            raise NotVerifiable(f"{self.folder / 'substeps.bin'}: holds no whole substeps; simulate with --contacts")
        step, self.time, self.length, self.elapsed, self.horizon, *counts = np.array(heads).T
        self.step, counts = step.astype(int), np.array(counts, dtype=int)
        if self.step.min() < 1 or self.step.max() > len(self.steps["time"]):
            raise ValueError("a step is not there")
        self.of, self.contact_of, self.joint_of, self.node_of, stencil_of = (
            np.repeat(np.arange(len(step)), count) for count in counts)  # fmt: skip
        bodies, contacts, joints, nodes, self.stencils = map(np.concatenate, parts.values())
        self.stencil_contact = (np.cumsum(counts[1]) - counts[1])[stencil_of] + self.stencils[:, 0].astype(int)
        self.body, self.moves = bodies[:, 0].astype(int), bodies[:, 1] > 0
        self.moving, size = np.flatnonzero(self.moves), np.array(self.header["size"])[self.body]
        self.size = np.where(size > 0, size, 1.0)
        # What does not move is not weighed.
        self.mass = np.where(self.moves, self.constant("mass"), 1.0)
        self.inertia = np.where(self.moves[:, None, None], self.constant("inertia"), np.eye(3))
        self.start, self.push, self.end = (Instant(columns, self.mass, self.inertia)
                                           for columns in np.split(bodies[:, 2:], 3, axis=1))  # fmt: skip
        self._row = {key: row for row, key in enumerate(zip(self.of.tolist(), self.body.tolist(), strict=True))}
        self.a, self.b = (self.rows(self.contact_of, contacts[:, side]) for side in range(2))
        self.point, self.normal, self.tangent, gap, self.impulse, self.held, self.asked = np.split(
            contacts[:, 2:24], [3, 6, 9, 10, 14, 18], axis=1)  # fmt: skip
        self.gap = gap[:, 0]
        self.joint, self.at = joints[:, 0].astype(int), self.rows(self.joint_of, joints[:, 1])
        self.wrench, self.node_body = joints[:, 2:], nodes[:, 0].astype(int)
        self.node = dict(zip(NODE, np.split(nodes[:, 1:], 8, axis=1), strict=True))

    def _read_deformables(self):
        given, options = self.constants["deformable"], self.header["options"]
        # Of bodies whose nodes are kept as coordinates of shape vectors: how many these are.
        known = self.header.get("shape_vectors", [])
        vectors = {name: r for name, r, one in zip(self.names, known, given, strict=False)
                   if r and one["law"] == "corotational"}  # fmt: skip
        for name, one in ((name, one) for name, one in zip(self.names, given, strict=True) if one):
            what = {text: one.get(key, False) for key, text in NOT_CHECKED.items()}
            what["a reduction with dents or the law stvk"] = one["reduced"] and name not in vectors
            what[f"the law {one['law']}"] = one["law"] not in EXPONENTS and not one["reduced"]
            what[f"the scheme {options['soft_stepper']}"] = options["soft_stepper"] != "midpoint"
            for text in (text for text, has in what.items() if has):
                raise NotVerifiable(f"{self.folder}: body {name!r} has {text}, which cannot be verified")
        self.elastic = {}
        shapes = self._file("deformables.npz", lambda data: np.load(BytesIO(data))["shapes"]) if vectors else None
        # Where nodes.bin has each of them: nodes of whole bodies, then their velocities, then bodies in shape vectors.
        self.node_at, self.whole = {}, 0
        for number, one in ((number, one) for number, one in enumerate(given) if one):
            n, r = len(one["rest"]), vectors.get(self.names[number], 0)
            if r:
                X, U, shapes = np.split(shapes, [3 * n, 3 * n * (1 + r)])
                self.elastic[number] = Reduced(one, X.reshape(n, 3), U.reshape(n, 3, r))
            else:
                self.elastic[number], self.node_at[number] = Elastic(one), self.whole
                self.whole += n
        numbers = 6 * self.whole
        for number in sorted(self.elastic.keys() - self.node_at.keys()):
            self.node_at[number], numbers = numbers, numbers + self.elastic[number].numbers
        self.node_records = self._numbers("nodes.bin").reshape(-1, numbers) if numbers else np.zeros((0, 0))
        self.deforms = np.array([one is not None for one in given])

    def _group_nodes(self):
        first = np.flatnonzero(np.any(np.diff([self.node_of, self.node_body], prepend=-1) != 0, axis=0))
        numbers, every = self.node_body[first], np.arange(len(self.node_body))
        self.groups = list(zip(numbers, np.split(every, first)[1:], strict=True))
        # The row of bodies of each group, and the first node of each of these.
        self.group_row, self.node_start = self.rows(self.node_of[first], numbers), np.full(len(self.body), -1)
        self.node_start[self.group_row] = first
        self.node |= middles(self)

    def _move(self):
        """Work out before, damped, free, speed and strays."""
        start, push, of = self.start, self.push, self.of
        h = np.where(self.moves, self.length[of], 0.0)[:, None]
        self.before = push.twist_of(start.momenta)
        self.damped = np.repeat(np.exp(-self.constant("damping") * h), 3, axis=1) * self.before
        self.free = self.damped + h * np.append(self.gravity, np.zeros(3))
        twist = np.linalg.norm(np.reshape([start.twist, push.twist], (2, -1, 2, 3)), axis=3)
        self.speed = np.max(twist[..., 0] + self.size * twist[..., 1], axis=0)
        nodes = np.linalg.norm([self.node["f"], self.node["v"]], axis=2).max(axis=0)
        np.maximum.at(self.speed, self.rows(self.node_of, self.node_body), nodes)
        self.speed += self.length[of] * np.linalg.norm(self.gravity)
        elapsed = self.elapsed[of]
        rest = self.length[of] - elapsed
        q = turned_freely(self.inertia, push.orientation, push.spin, rest)
        way = elapsed[:, None] * start.velocity + rest[:, None] * push.velocity
        self.strays = self.end.position - start.position - way, angle_between(q, self.end.orientation)

    def nodes_at(self, number, frame):
        """Where the nodes (2,n,3) of a deformable body are in a frame, and how fast."""
        body, first, record = self.elastic[number], self.node_at[number], self.node_records[frame]
        if isinstance(body, Reduced):
            return body.nodes(record[first : first + body.numbers])
        return record[: 6 * self.whole].reshape(2, -1, 3)[:, first : first + len(body.mass)]

    def frames_of(self, step, count):
        """(which of steps (n,) end with one of `count` frames, the numbers of these frames)."""
        every = int(self.header["options"]["steps_per_frame"])
        shown = (step % every == 0) & (step // every < count)
        return np.flatnonzero(shown), step[shown] // every

    def held_from(self, rows, since):
        """Whether the bodies of rows (n,) are said to be held by keys from times (n,) [s] on."""
        known, h = self.constants.get("switches", {}), self.header["options"]["time_step"]
        times = [np.array(known.get(name, []), dtype=float) for name in self.names[self.body[rows]]]
        # A switch acts with the first step that begins no earlier.
        return np.array([np.any(np.abs(own - time) < h) for own, time in zip(times, since, strict=True)], dtype=bool)

    def met_from(self, rows, since):
        """Whether joints that hold again from times (n,) [s] on may have taken the bodies of rows (n,) to where they
        hold: those of such a joint, and what other joints couple with them."""
        given, body = self.constants["joints"], self.body[rows]
        ends = np.array([joint["ends"] for joint in given], dtype=int).reshape(-1, 2)
        both = ends[(ends >= 0).all(axis=1)]
        group, found = connected(len(self.names), *both.T), np.zeros(len(rows), dtype=bool)
        for joint in given:
            for time in joint.get("switches", ())[1::2]:
                own = group[[end for end in joint["ends"] if end >= 0]]
                found |= (np.abs(time - since) < self.header["options"]["time_step"]) & np.isin(group[body], own)
        return found

    def rows(self, substeps, bodies):
        """Rows (n,) of bodies (n,) in substeps (n,)."""
        keys = zip(substeps.tolist(), bodies.astype(int).tolist(), strict=True)
        return np.array([self._row[key] for key in keys], dtype=int)

    def places(self, rows):
        """Substeps and names of rows (n,) of bodies, as findings have them."""
        return self.of[rows], self.names[self.body[rows]]

    def meetings(self):
        """Substeps of all contacts, and the names of both bodies."""
        return self.contact_of, *(self.names[self.body[rows]] for rows in (self.a, self.b))

    def constant(self, name):
        """A constant of the bodies, one a row (N, ...)."""
        return np.array(self.constants[name], dtype=float)[self.body]

    def summary(self):
        """What it is, with SHA-256 of every file that was read."""
        return {
            "scene": self.header["scene"], "scene_digest": self.header["digest"], "versions": self.header["versions"],
            "digests": self.digests, "steps": len(self.steps["time"]), "substeps": len(self.step),
            "contacts": len(self.gap), "missing": [],
        }  # fmt: skip
