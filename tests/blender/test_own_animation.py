"""What a person sets wins, and the bake leaves no trace: any order of editing, baking, clearing, undoing, saving."""

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mathutils import Euler

from stiction.blender_addon.baking import bake as baking
from stiction.blender_addon.baking.record import is_baked_action, own_pose
from stiction.blender_addon.baking.signature import out_of_date
from stiction.blender_addon.base.curves import curves_of
from stiction.blender_addon.exporting.export import export_scene

END = 8


def bake_now(fake_trajectory, seed=0):
    scene = bpy.context.scene
    baking.settle_all(scene)
    with baking.lifted(scene):
        export = export_scene(scene)
    notes = baking.bake(scene, export, fake_trajectory(export, seed))
    return export, notes


def body_in(export, name):
    return next(body for body in export.scene.bodies if body.name == name)


def test_pose_set_after_the_bake_is_where_the_next_one_starts(scene, add, fake_trajectory):
    scene.frame_end = END
    ob = add("body", location=(1, 2, 3), rotation_euler=(0.1, 0.2, 0.3))
    turned = tuple(ob.rotation_euler)
    bake_now(fake_trajectory)
    scene.frame_set(1)
    ob.location = (4, 5, 6)
    export, _ = bake_now(fake_trajectory, 1)
    assert body_in(export, "body").position == (4, 5, 6)
    baking.clear(scene)
    assert tuple(ob.location) == (4, 5, 6)
    assert tuple(ob.rotation_euler) == turned, "what was not touched keeps every digit"


def test_key_set_on_the_first_frame_is_a_pose_set(scene, add, fake_trajectory):
    scene.frame_end = END
    ob = add("body", location=(1, 2, 3))
    bake_now(fake_trajectory)
    scene.frame_set(1)
    ob.location.x = 9
    ob.keyframe_insert("location", frame=1)
    export, notes = bake_now(fake_trajectory, 1)
    assert body_in(export, "body").position == (9, 2, 3)
    assert any("keys of the bake were edited ('body')" in note for note in notes)
    assert any(action.name.endswith("(edited)") and action.use_fake_user for action in bpy.data.actions)


def test_keys_edited_later_are_kept(scene, add, fake_trajectory):
    scene.frame_end = END
    ob = add("body", location=(1, 2, 3))
    bake_now(fake_trajectory)
    scene.frame_set(5)
    ob.location.x = 9
    ob.keyframe_insert("location", frame=5)
    _, notes = baking.clear(scene)
    assert len(notes) == 1 and "they are kept in the action" in notes[0]
    kept = next(action for action in bpy.data.actions if action.name.endswith("(edited)"))
    assert kept.use_fake_user
    assert tuple(ob.location) == (1, 2, 3)


def test_action_given_after_the_bake_stays(scene, add, fake_trajectory):
    scene.frame_end = END
    ob = add("body")
    ob.keyframe_insert("scale", frame=1)
    earlier = ob.animation_data.action
    bake_now(fake_trajectory)
    mine = bpy.data.actions.new("mine")
    ob.animation_data.action = mine
    baking.clear(scene)
    assert ob.animation_data.action == mine
    assert earlier.use_fake_user, "the action of before would be lost at saving"


def test_action_taken_off_after_the_bake_comes_back(scene, add, fake_trajectory):
    scene.frame_end = END
    ob = add("body", location=(1, 2, 3))
    ob.keyframe_insert("scale", frame=1)
    earlier = ob.animation_data.action
    bake_now(fake_trajectory)
    ob.animation_data_clear()
    baking.clear(scene)
    assert ob.animation_data.action == earlier
    assert tuple(ob.location) == (1, 2, 3)


def test_object_that_was_not_evaluated_was_not_moved(scene, add, fake_trajectory):
    scene.frame_end = END
    add("other")
    ob = add("body", location=(1, 2, 3))
    bake_now(fake_trajectory)
    scene.frame_set(4)
    ob.hide_viewport = True
    bpy.context.view_layer.update()
    scene.frame_set(7)
    assert own_pose(ob, 7)[0] == (1, 2, 3)
    baking.clear(scene)
    assert tuple(ob.location) == (1, 2, 3)


def test_own_action_of_the_place_wins_over_a_pose_and_says_so(scene, add, fake_trajectory):
    scene.frame_end = END
    ob = add("body", location=(1, 2, 3))
    ob.keyframe_insert("location", frame=1)
    bake_now(fake_trajectory)
    scene.frame_set(1)
    ob.location.x = 7
    notes = baking.settle_all(scene)
    assert len(notes) == 1 and "object 'body': was moved after the bake, but its own action" in notes[0]


def test_rotation_mode_changed_after_the_bake(scene, add, fake_trajectory):
    scene.frame_end = END
    ob = add("body", rotation_euler=(0.1, 0.2, 0.3))
    bake_now(fake_trajectory)
    ob.rotation_mode = "QUATERNION"
    baking.clear(scene)
    wanted = Euler((0.1, 0.2, 0.3)).to_quaternion()
    assert abs(ob.rotation_quaternion.dot(wanted)) == pytest.approx(1, abs=1e-6)


# --- any order of anything ---------------------------------------------------------------------------------------

NAMES = ("plain", "quaternion", "scaled", "keyed", "child")


class World:
    """A scene of bodies and what a person would say each of them is without the bake."""

    def __init__(self, scene, add, fake_trajectory, path):
        self.fake_trajectory, self.path = fake_trajectory, str(path)
        scene.frame_end = END
        add("plain", location=(1, 0, 0), rotation_euler=(0.1, 0.2, 0.3))
        add("quaternion", location=(4, 0, 0), rotation_mode="QUATERNION", rotation_quaternion=(0.6, 0, 0.8, 0))
        add("scaled", location=(7, 0, 0), scale=(1, 1, 2)).keyframe_insert("scale", frame=1)
        add("keyed", location=(10, 0, 0)).keyframe_insert("location", frame=1)
        parent = bpy.data.objects.new("parent", None)
        scene.collection.objects.link(parent)
        parent.location = (0, 5, 0)
        add("child", parent=parent, location=(0, 1, 0), rotation_mode="AXIS_ANGLE")
        bpy.ops.ed.undo_push(message="begin")
        self.expected = {name: self.shown(name) for name in NAMES}
        self.pending, self.before, self.baked, self.seed = set(), {}, False, 0
        self.past, self.future = [self.state()], []

    def state(self):
        return dict(self.expected), set(self.pending), self.baked

    def object(self, name):
        return bpy.data.objects[name]

    def shown(self, name):
        ob = self.object(name)
        rotation = getattr(ob, {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
            ob.rotation_mode, "rotation_euler"))  # fmt: skip
        return (*ob.location, *rotation)

    def push(self):
        bpy.ops.ed.undo_push(message="step")
        self.past.append(self.state())
        self.future.clear()

    def forget(self):
        """Edits of animated objects that are not keyed are gone when Blender evaluates them anew: its own rule."""
        for name in list(self.pending):
            self.expected[name] = self.before[name]
        self.pending.clear()

    def move(self, name, amount):
        if name == "keyed":
            # Its own action sets its place: a pose set by hand does not last, baked or not.
            return
        if self.baked and name not in self.pending:
            self.before[name] = self.expected[name]
            self.pending.add(name)
        self.object(name).location.y += amount
        old, new = self.expected[name], self.shown(name)
        # At the first frame what was not touched is still the person's own, to the last digit.
        kept = self.baked and bpy.context.scene.frame_current == 1
        self.expected[name] = (*new[:3], *old[3:]) if kept else new
        self.push()

    def bake(self):
        self.seed += 1
        bake_now(self.fake_trajectory, self.seed)
        # Where one looks at another frame, what is shown is not the pose that was set.
        bpy.context.scene.frame_set(bpy.context.scene.frame_current)
        self.pending.clear()
        self.baked = True
        self.push()

    def clear(self):
        baking.clear(bpy.context.scene)
        self.pending.clear()
        self.baked = False
        self.push()

    def look(self, frame):
        bpy.context.scene.frame_set(frame)
        self.forget()
        # Looking is no step of undo.
        self.past[-1] = self.state()

    def undo(self):
        if len(self.past) > 1:
            bpy.ops.ed.undo()
            self.future.append(self.past.pop())
            self.back_to(self.past[-1])

    def redo(self):
        if self.future:
            bpy.ops.ed.redo()
            self.past.append(self.future.pop())
            self.back_to(self.past[-1])

    def back_to(self, state):
        self.expected, self.pending, self.baked = dict(state[0]), set(state[1]), state[2]
        self.drop_lost()

    def drop_lost(self):
        """Whether an unkeyed edit of an animated object outlives undo and loading is Blender's to say."""
        scene = bpy.context.scene
        scene.frame_set(scene.frame_current)
        self.forget()

    def save_and_load(self):
        bpy.ops.wm.save_as_mainfile(filepath=self.path)
        bpy.ops.wm.open_mainfile(filepath=self.path)
        bpy.ops.ed.undo_push(message="loaded")
        self.drop_lost()
        self.past, self.future = [self.state()], []

    def check(self):
        """Without the bake everything is as the person has set it, and the bake has left nothing."""
        scene = bpy.context.scene
        for name in NAMES:
            ob = self.object(name)
            pose = own_pose(ob, scene.frame_current_final)
            assert np.array_equal((*pose[0], *pose[1]), self.expected[name]), (name, pose, self.expected[name])
        baking.clear(scene)
        for name in NAMES:
            assert np.array_equal(self.shown(name), self.expected[name]), name
        actions = {name: self.object(name).animation_data for name in NAMES}
        assert actions["plain"] is actions["quaternion"] is actions["child"] is None
        assert {curve.data_path for curve in curves_of(actions["scaled"])} == {"scale"}
        assert {curve.data_path for curve in curves_of(actions["keyed"])} == {"location"}
        assert not [action for action in bpy.data.actions if is_baked_action(action)]


STEPS = st.one_of(
    st.tuples(st.just("move"), st.sampled_from(NAMES), st.sampled_from([0.25, 1.5, 3.0])),
    st.tuples(st.just("look"), st.integers(1, END)),
    st.tuples(st.sampled_from(["bake", "bake", "clear", "undo", "redo", "save_and_load"])),
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(steps=st.lists(STEPS, min_size=3, max_size=14))
def test_any_order_leaves_the_persons_own_animation_exact(extension, tmp_path_factory, steps):
    from conftest import FakeTrajectory, new_object

    bpy.ops.wm.read_factory_settings(use_empty=True)
    folder = tmp_path_factory.mktemp("world")
    world = World(bpy.context.scene, new_object, FakeTrajectory, folder / "world.blend")
    for name, *arguments in steps:
        getattr(world, name)(*arguments)
    world.check()


def test_a_moved_body_baked_again_is_up_to_date(drop):
    """A pose that a person has set counts the same before and after the bake that takes it over."""
    bpy.ops.stiction.bake()
    drop.frame_set(1)
    cube = drop.objects["cube"]
    cube.location.x += 2
    bpy.context.view_layer.update()
    assert out_of_date(drop)
    assert {type(value) for part in own_pose(cube, 1) for value in part} == {float}
    bpy.ops.stiction.bake()
    assert not out_of_date(drop)
    assert cube.location.x == pytest.approx(2)
