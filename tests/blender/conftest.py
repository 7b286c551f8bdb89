"""Fixtures for tests inside Blender's Python module; without it they are left out, and the summary says so."""

import numpy as np
import pytest

try:
    import bpy
except ImportError:
    collect_ignore_glob = ["test_*.py", "other_peoples_scenes"]

    def pytest_terminal_summary(terminalreporter):
        """Tell that this folder was left out."""
        terminalreporter.line("tests/blender left out: no module bpy (pip install bpy==5.0.1)", yellow=True)

CUBE = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
CUBE_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


@pytest.fixture(scope="session")
def extension():
    """The extension's package, registered for the session, beside Blender's own add-ons and preferences."""
    import stiction

    stiction.register()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    yield stiction
    stiction.unregister()


@pytest.fixture
def scene(extension):
    """An empty Blender scene with frames 1 to 20. Preferences and add-ons stay: these take long to make."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 20
    return scene


def new_object(name, vertices=CUBE, faces=CUBE_FACES, kind="ACTIVE", mesh=None, **attributes):
    """A new object of the scene; a unit cube without a mesh of its own."""
    if mesh is None:
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(vertices, [], faces)
    ob = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(ob)
    for key, value in attributes.items():
        setattr(ob, key, value)
    ob.stiction.type = kind
    return ob


def shown_poses(scene, ob, frames=None):
    """World matrices (F,4,4) of an object as Blender shows it at frames, all of the scene's from 1 on unless given."""
    found = []
    for frame in range(1, scene.frame_end + 1) if frames is None else frames:
        scene.frame_set(frame)
        found.append(np.array(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world))
    return np.array(found)


def shown_vertices(ob):
    """World places (V,3) of an object's evaluated vertices."""
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = np.array(evaluated.matrix_world)
    return np.array([vertex.co for vertex in evaluated.data.vertices]) @ matrix[:3, :3].T + matrix[:3, 3]


@pytest.fixture
def add(scene):
    """add(name, vertices, faces, kind=..., **object attributes) -> object in the test's scene."""
    return new_object


@pytest.fixture
def drop(scene, add, tmp_path):
    """A cube that falls 0.1 m onto a slab, 10 frames, frames kept in the test's own folder."""
    add("slab", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
    add("cube", location=(0, 0, 0.6), rotation_mode="QUATERNION")
    scene.frame_end = 10
    scene.stiction.cache = str(tmp_path)
    return scene


class FakeTrajectory:
    """Random smooth motion of an export's bodies from their exported poses, one frame each 1/fps."""

    def __init__(self, export, seed=0):
        rng = np.random.default_rng(seed)
        count = export.frame_count
        self.names = tuple(body.name for body in export.scene.bodies)
        self.times = np.arange(count) / export.fps
        self.steps, self.header = {}, {}
        start = np.array([body.position for body in export.scene.bodies])
        turn = np.array([body.orientation for body in export.scene.bodies])
        moves = rng.normal(0, 0.3, (count, len(self.names), 3)).cumsum(axis=0)
        turns = rng.normal(0, 0.4, (count, len(self.names), 4)).cumsum(axis=0)
        moves[0] = turns[0] = 0
        self.positions = start + moves
        self.orientations = turn + turns
        self.orientations /= np.linalg.norm(self.orientations, axis=-1, keepdims=True)


@pytest.fixture
def fake_trajectory():
    """Class that makes a trajectory without a solver."""
    return FakeTrajectory
