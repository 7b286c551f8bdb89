"""What is drawn over the viewport, as arrays: shapes where the bodies are, forces that carry the bodies' weight."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from panel_layout import draw_all

from stiction.blender_addon.inside.contacts import FrameContacts, record_of, tangents
from stiction.blender_addon.overlay import OVERLAYS, bodies, drawing
from stiction.blender_addon.overlay.forces import chain_links
from stiction.blender_addon.overlay.strokes import arrows, box_edges, crosses
from stiction.blender_addon.overlay.view import View


@pytest.fixture
def pile(scene, add, tmp_path):
    """Two cubes of a metre and 1000 kg/m³, one on the other on a slab, baked with contacts kept; 48 frames."""
    add("slab", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
    add("lower", location=(0, 0, 0.5))
    add("upper", location=(0.1, 0, 1.5))
    scene.frame_end, scene.stiction.cache = 12, str(tmp_path)
    scene.stiction.simulation.store_contacts = True
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    return scene


def test_forces_carry_the_weight(pile):
    record = record_of(pile)
    found = record.contacts(11)
    upper, lower, slab = (record.names.index(name) for name in ("upper", "lower", "slab"))

    def force_on(body):
        """All contact force on a body [N]."""
        force = found.normal_force[:, None] * found.normal + found.friction
        return force[found.body[:, 1] == body].sum(axis=0) - force[found.body[:, 0] == body].sum(axis=0)

    assert force_on(upper) == pytest.approx([0, 0, 9810], abs=10)
    assert force_on(lower) == pytest.approx([0, 0, 9810], abs=10)
    assert force_on(slab) == pytest.approx([0, 0, -19620], abs=20)


def test_friction_is_in_the_world_frame(scene, add, tmp_path):
    """A cube that slides along x and y is pulled back against both; gravity stays straight."""
    add("slab", kind="PASSIVE", scale=(100, 100, 1), location=(0, 0, -0.5))
    cube = add("cube", location=(0, 0, 0.5), scale=(1, 1, 0.2))
    cube.location.z = 0.1
    cube.stiction.velocity, cube.stiction.friction = (3.0, 4.0, 0.0), 0.4
    scene.objects["slab"].stiction.friction = 0.4
    scene.frame_end, scene.stiction.cache = 6, str(tmp_path)
    scene.stiction.simulation.store_contacts = True
    bpy.ops.stiction.bake()
    record = record_of(scene)
    found = record.contacts(5)
    sign = np.where(found.body[:, 1] == record.names.index("cube"), 1, -1)[:, None]
    force = (sign * found.friction).sum(axis=0)
    weight = 200 * 9.81
    assert force == pytest.approx([-0.6 * 0.4 * weight, -0.8 * 0.4 * weight, 0], abs=0.02 * weight)


def test_direction_of_friction_is_used_as_the_solver_does(scene, add, tmp_path):
    """Friction 0.1 along the turned body's x and 0.5 along its y: what is drawn points as the deceleration does."""
    add("slab", kind="PASSIVE", scale=(100, 100, 1), location=(0, 0, -0.5))
    cube = add("cube", location=(0, 0, 0.1), scale=(1, 1, 0.2), rotation_mode="XYZ")
    cube.rotation_euler.z = 0.6
    settings = cube.stiction
    settings.velocity, settings.friction, settings.use_friction_t, settings.friction_t = (3, 0, 0), 0.1, True, 0.5
    scene.stiction.combine = "MAXIMUM"
    scene.objects["slab"].stiction.friction = 0.0
    scene.frame_end, scene.stiction.cache = 4, str(tmp_path)
    scene.stiction.simulation.store_contacts = True
    bpy.ops.stiction.bake()
    record = record_of(scene)
    i = record.names.index("cube")
    # Contacts are of the last step before a frame: the change of velocity from one frame to the next is close.
    change = (record.velocities(2)[0][i] - record.velocities(1)[0][i]) * 24
    found = record.contacts(2)
    sign = np.where(found.body[:, 1] == i, 1, -1)[:, None]
    pull = (sign * found.friction).sum(axis=0) / record.mass[i]
    assert pull[:2] == pytest.approx(change[:2], rel=0.05)


def test_tangents_are_a_right_handed_frame():
    normal = np.random.default_rng(1).normal(size=(200, 3))
    normal[:3] = np.eye(3)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    s, t = tangents(normal)
    assert np.abs(np.cross(s, t) - normal).max() < 1e-12


def test_shapes_follow_the_objects(scene, add):
    cube = add("cube", location=(1, 2, 3), scale=(2, 1, 1))
    bpy.ops.stiction.check()
    view = View(scene, 1)
    (stroke,) = bodies.shapes(view)
    assert len(stroke.segments) == 12, "the edges of a box, without the diagonals of its faces"
    assert stroke.segments.reshape(-1, 3).min(axis=0) == pytest.approx([0, 1.5, 2.5])
    cube.location.x = 11
    bpy.context.view_layer.update()
    (stroke,) = bodies.shapes(view)
    assert stroke.segments.reshape(-1, 3).max(axis=0) == pytest.approx([12, 2.5, 3.5])
    (center,) = bodies.centers(view)
    assert center.segments.reshape(-1, 3).mean(axis=0) == pytest.approx([11, 2, 3])


def test_friction_directions_are_the_object_axes(scene, add):
    cube = add("cube", rotation_euler=(0, 0, np.pi / 2))
    add("other", location=(5, 0, 0))
    cube.stiction.use_friction_t, cube.stiction.friction_t = True, 0.1
    bpy.ops.stiction.check()
    along, across = bodies.directions(View(scene, 1))
    way = along.segments[0, 1] - along.segments[0, 0]
    assert way / np.linalg.norm(way) == pytest.approx([0, 1, 0], abs=1e-6)
    assert np.linalg.norm(across.segments[0, 1] - across.segments[0, 0]) < 0.3 * np.linalg.norm(way)


def test_every_overlay_draws_something_of_a_pile(pile):
    look = bpy.context.window_manager.stiction_look
    pile.objects["upper"].stiction.use_friction_t = True
    bpy.ops.stiction.check()
    try:
        for key in OVERLAYS:
            setattr(look, key, True)
            frame = 2 if key == "velocity" else 12
            drawing.shown_strokes(pile, look, 1)  # where no contact is known
            strokes = drawing.shown_strokes(pile, look, frame)
            if key not in ("sleeping", "velocity", "joints", "flow"):
                assert strokes, key
            for stroke in strokes:
                assert np.isfinite(stroke.segments).all()
                assert stroke.segments.shape[1:] == (2, 3)
            setattr(look, key, False)
        assert not drawing._handlers, "nothing shown, no handler"
    finally:
        drawing.remove()


def test_handler_is_there_only_while_something_is_shown(scene, add):
    look = bpy.context.window_manager.stiction_look
    assert not drawing._handlers
    look.points = look.chains = True
    assert len(drawing._handlers) == 1
    look.points = False
    assert len(drawing._handlers) == 1
    look.chains = False
    assert not drawing._handlers


def test_arrows_are_the_forces_on_what_moves(pile):
    view = View(pile, 12)
    (stroke,) = OVERLAYS["normals"].strokes(view)
    shafts = stroke.segments[: len(view.contacts)]
    assert (shafts[:, 1, 2] > shafts[:, 0, 2]).sum() >= 4, "the ground holds the lower cube up, not down"
    lowest = shafts[shafts[:, 0, 2] < 0.1]
    assert (lowest[:, 1, 2] > lowest[:, 0, 2]).all()


def test_chains_end_at_the_contacts_of_what_the_laws_do_not_move():
    """A floor may be as wide as the scene, a rod as long: their middles say nothing."""
    pairs_of, upward = np.array([[0, 2], [1, 2], [2, 3]]), np.tile([0.0, 0.0, 1.0], (3, 1))
    found = FrameContacts(pairs_of, np.arange(9.0).reshape(3, 3), upward, np.zeros(3), np.ones(3), np.zeros((3, 3)),
                          np.zeros(3))  # fmt: skip
    centers = np.full((4, 3), 50.0) + np.arange(4)[:, None]
    record = SimpleNamespace(motion=("static", "kinematic", "dynamic", "dynamic"), centers=lambda row: centers)
    pairs, _, ends = chain_links(record, found, 0)
    assert pairs.tolist() == [[0, 2], [1, 2], [2, 3]]
    assert np.array_equal(ends[:2, 0], found.position[:2]) and np.array_equal(ends[:, 1], centers[[2, 2, 3]])
    assert np.array_equal(ends[2, 0], centers[2])


def test_selected_only(pile):
    for ob in pile.objects:
        ob.select_set(ob.name == "upper")
    few = View(pile, 12, only_selected=True).contacts
    assert 0 < len(few) < len(View(pile, 12).contacts)


def test_panel_says_what_is_missing(pile):
    pile.stiction.simulation.store_contacts = False
    assert "This run kept no contacts:" not in draw_all(bpy.context).labels
    bpy.ops.stiction.bake()
    assert "This run kept no contacts:" in draw_all(bpy.context).labels


def test_strokes():
    assert crosses([[1, 2, 3]], 0.5).shape == (3, 2, 3)
    assert box_edges([[0, 0, 0]], [[1, 2, 3]]).shape == (12, 2, 3)
    assert np.linalg.norm(np.diff(box_edges([[0, 0, 0]], [[1, 1, 1]]), axis=1), axis=2).max() == 1
    lines = arrows([[0, 0, 0], [1, 1, 1]], [[0, 0, 2], [0, 0, 0]])
    assert lines.shape == (3, 2, 3), "no arrow for no vector"
    assert lines[0].tolist() == [[0, 0, 0], [0, 0, 2]]
