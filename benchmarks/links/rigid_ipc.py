"""Scenes of the suite of Ferguson et al., "Intersection-free Rigid Body Dynamics" (2021), read from its fixtures.

The suite is not part of this project: it lies under fixtures/3D and meshes of the repository ipc-sim/rigid-ipc (MIT).
Bodies held in some directions of the world get a joint to the world; a force along the one direction in which a body
is free becomes a motor of that strength. Restitution -1, "as published", is read as 0. What moves and is no solid is
closed by the winding number, a flat sheet by a shell.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stiction.solver.base.connected import connected
from stiction.solver.base.refusal import SceneError
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.meshes.repairs import MeshRepair
from stiction.solver.scene import Body, Joint, KeyedPoses, Motion, Motor, Scene
from stiction.solver.scene_io.mesh_file import read_mesh
from stiction.solver.scenes.base import axis_angle, rotation_matrix
from stiction.solver.shapes import Mesh

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
THIN = 5e-3  # of a sheet's extent is the thickness of its shell
FAR = 1e3  # [s] kinematic bodies are keyed for
KEYS = 0.01  # [s] between keys of a turning body


def fixtures(root):
    """{name: path} of all 3D scenes below the root of the suite."""
    folder = Path(root) / "fixtures" / "3D"
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(folder.rglob("*.json"))}


def read_fixture(root, path):
    """(Scene, its time step [s]) of a fixture; raises SceneError for what has no place here."""
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    problem, step = data["rigid_body_problem"], float(data["timestep"])
    reader = _Reader(Path(root) / "meshes")
    for entry in problem["rigid_bodies"]:
        if entry.get("enabled", True):
            reader.add(entry)
    restitution = max(float(problem.get("coefficient_restitution", 0.0)), 0.0)
    friction = float(problem.get("coefficient_friction", 0.0))
    materials = [Material(name, density, friction, restitution=restitution)
                 for density, name in reader.materials.items()]  # fmt: skip
    gravity = tuple(problem.get("gravity", (0.0, 0.0, 0.0)))
    scene = Scene(tuple(reader.bodies), MaterialTable(tuple(materials)), gravity, tuple(reader.joints),
                  tuple(reader.excluded()), {"time_step": step}, name=Path(path).stem)  # fmt: skip
    return scene, step


@dataclass
class _Piece:
    """A mesh in world axes about its origin: vertices (V,3) [m], triangles (T,3)."""

    vertices: np.ndarray
    triangles: np.ndarray


class _Reader:
    """Bodies, joints and materials of a fixture in the making."""

    def __init__(self, meshes):
        self.folder, self.bodies, self.joints, self.materials, self.groups = meshes, [], [], {}, {}
        self.known = {}

    def add(self, entry):
        """Add the body, or bodies, of an entry."""
        whole = self._piece(entry)
        pieces = _components(whole) if entry.get("split_components") else [whole]
        for piece in pieces:
            self._add(entry, piece)

    def excluded(self):
        """Pairs of names that never collide: bodies of one group."""
        return [(a, b) for names in self.groups.values() for i, a in enumerate(names) for b in names[:i]]

    def _piece(self, entry):
        """The mesh, scaled and turned about its own origin."""
        if "mesh" not in entry:
            raise SceneError("a body without a mesh, of points and edges alone, has no counterpart")
        path = self.folder / entry["mesh"]
        if path not in self.known:
            self.known[path] = _read(path)
        vertices, triangles = self.known[path]
        if "dimensions" in entry:
            extent = np.ptp(vertices, axis=0)
            scale = np.asarray(entry["dimensions"], dtype=float) / np.where(extent == 0.0, 1.0, extent)
        else:
            scale = np.broadcast_to(np.asarray(entry.get("scale", 1.0), dtype=float), 3)
        turn = _turn(entry.get("rotation", (0.0, 0.0, 0.0)))
        flipped = triangles[:, ::-1] if np.prod(np.where(scale == 0.0, 1.0, scale)) < 0.0 else triangles
        return _Piece((vertices * scale) @ turn.T, flipped)

    def _add(self, entry, piece):
        density = float(entry.get("density", 1000.0))
        material = self.materials.setdefault(density, "default" if not self.materials else f"{density:g}")
        held = np.broadcast_to(np.asarray(entry.get("is_dof_fixed", False), dtype=bool), 6)
        kind = "static" if held.all() else entry.get("type", "dynamic")
        name = f"{len(self.bodies):04d} {Path(entry['mesh']).stem}"
        position = tuple(float(x) for x in entry.get("position", (0.0, 0.0, 0.0)))
        velocity = np.where(held[:3], 0.0, _vector(entry, "linear_velocity"))
        spin = np.where(held[3:], 0.0, np.radians(_vector(entry, "angular_velocity")))
        mesh = Mesh(piece.vertices, piece.triangles)
        keys = None
        if kind == "kinematic":
            keys = _keys(entry, mesh, np.asarray(position), velocity, spin)
        elif kind == "dynamic":
            mesh = _solid(mesh)
        self.bodies.append(Body(name, mesh, material, Motion(kind), position, velocity=tuple(velocity),
                                angular_velocity=tuple(spin), keys=keys))  # fmt: skip
        if "group_id" in entry:
            self.groups.setdefault(entry["group_id"], []).append(name)
        if kind == "dynamic":
            self._hold(entry, name, np.asarray(position) + _center(mesh), held)

    def _hold(self, entry, name, center, held):
        """Joints for what is held, motors for forces."""
        load = np.concatenate((_vector(entry, "force"), np.radians(_vector(entry, "torque"))))
        load = np.where(held, 0.0, load)
        if not held.any() and not load.any():
            return
        free = tuple(name for name, fixed in zip(DIRECTIONS, held, strict=True) if not fixed)
        motor = {DIRECTIONS[i]: Motor(float(np.sign(load[i])) * 1e6, float(abs(load[i]))) for i in np.flatnonzero(load)}
        self.joints.append(Joint(f"{name} held", "generic", ("world", name), tuple(center), (0.0, 0.0, 1.0),
                                 axis2=(1.0, 0.0, 0.0), free=free, motor=motor or None, collide=True))  # fmt: skip


def _vector(entry, key):
    """Three numbers (3,) of an entry, zero where it has none."""
    return np.asarray(entry.get(key, (0.0, 0.0, 0.0)), dtype=float)


def _read(path):
    """(vertices (V,3), triangles (T,3)) of a file of the suite."""
    if not path.exists():
        raise SceneError(f"the suite has no mesh {path.name}")
    if path.suffix == ".off":
        words = iter(re.sub(r"#.*", "", path.read_text()).split()[1:])
        vertex_count, face_count, _ = (int(next(words)) for _ in range(3))
        vertices = np.array([[float(next(words)) for _ in range(3)] for _ in range(vertex_count)])
        faces = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(face_count)]
        return vertices, np.array([(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)])
    return read_mesh(path)


def _turn(degrees):
    """Rotation matrix Rz Ry Rx of Euler angles [degrees]."""
    turns = zip(np.eye(3), np.radians(degrees), strict=True)
    x, y, z = (rotation_matrix(axis_angle(axis, angle)) for axis, angle in turns)
    return z @ y @ x


def _solid(mesh):
    """The mesh itself where it is a solid, else what a user would choose."""
    report = mesh.given.report
    if report.closed:
        return mesh
    closed = Mesh(mesh.vertices, mesh.triangles, MeshRepair("winding"))
    try:
        closed.notes()
    except SceneError:
        size = float(np.ptp(np.asarray(mesh.vertices), axis=0).max())
        return Mesh(mesh.vertices, mesh.triangles, MeshRepair("solidify", THIN * size))
    return closed


def _center(mesh):
    """Centre of mass [m] in the mesh's own frame."""
    return np.asarray(mesh.mass_properties().center)


def _keys(entry, mesh, position, velocity, spin):
    """KeyedPoses of a body that moves as told: evenly, turning about its centre, or by poses a step apart."""
    if entry.get("kinematic_poses"):
        raise SceneError("poses by number of the step have no counterpart")
    end = float(entry.get("kinematic_max_time", FAR))
    rate = float(np.linalg.norm(spin))
    if rate == 0.0:
        times = np.array((0.0, end, end + FAR))
        turns = np.tile((1.0, 0.0, 0.0, 0.0), (3, 1))
        return KeyedPoses(times, position + np.minimum(times, end)[:, None] * velocity, turns)
    end = min(end, 10.0)
    times = np.linspace(0.0, end, max(2, round(end / KEYS) + 1))
    turns = np.array([axis_angle(spin / rate, rate * t) for t in times])
    center = _center(mesh) if mesh.given.report.closed else np.mean(np.asarray(mesh.vertices), axis=0)
    arm = np.array([rotation_matrix(q) @ -center for q in turns])
    return KeyedPoses(times, position + center + times[:, None] * velocity + arm, turns)


def _components(piece):
    """The parts of a mesh that hang together."""
    label = connected(piece.triangles[:, :2].ravel(), piece.triangles[:, 1:].ravel(), len(piece.vertices))
    of = label[piece.triangles[:, 0]]
    pieces = []
    for part in np.unique(of):
        triangles = piece.triangles[of == part]
        used, index = np.unique(triangles, return_inverse=True)
        pieces.append(_Piece(piece.vertices[used], index.reshape(-1, 3)))
    return pieces
