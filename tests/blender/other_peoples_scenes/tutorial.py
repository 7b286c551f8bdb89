"""What such scenes are made of: objects of the Add menu, Rigid Body with its defaults, keys; and taking them over."""

from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from stiction.blender_addon.base.curves import curves_of
from stiction.blender_addon.base.steps import exhausted
from stiction.blender_addon.running.frames import RunFrames


def add(primitive, kind="ACTIVE", at=(0, 0, 0), **more):
    """An object of the Add menu with Rigid Body; more: what the operator takes, and `body`, settings of rigid_body."""
    body = more.pop("body", {})
    getattr(bpy.ops.mesh, f"primitive_{primitive}_add")(location=at, **more)
    ob = bpy.context.object
    bpy.ops.rigidbody.object_add(type=kind)
    for name, value in body.items():
        setattr(ob.rigid_body, name, value)
    return ob


def ground(size=20.0):
    """Blender's plane, Passive: a convex hull of a flat mesh."""
    return add("plane", "PASSIVE", size=size)


def join(kind, first, second, at, turn=(0, 0, 0), **settings):
    """An empty with a constraint between two bodies."""
    bpy.ops.object.empty_add(location=at, rotation=turn)
    bpy.ops.rigidbody.constraint_add(type=kind)
    ob = bpy.context.object
    ob.rigid_body_constraint.object1, ob.rigid_body_constraint.object2 = first, second
    for name, value in settings.items():
        setattr(ob.rigid_body_constraint, name, value)
    return ob


def key_places(ob, *keys, interpolation="BEZIER"):
    """Keys of the location: (frame, place)."""
    for frame, place in keys:
        ob.location = place
        ob.keyframe_insert("location", frame=frame)
    for curve in curves_of(ob.animation_data):
        for point in curve.keyframe_points:
            point.interpolation = interpolation


def key_setting(owner, name, *keys):
    """Keys of a setting: (frame, value)."""
    for frame, value in keys:
        setattr(owner, name, value)
        owner.keyframe_insert(name, frame=frame)


# Findings that no bake ends with, without whose click it is not what Blender's own simulation made of the scene.
CLICKED = ("carried", "off_center")


class Film:
    """The scene taken over, repaired with one click a finding where a bake would refuse it, and baked."""

    def __init__(self, scene, folder, frames):
        scene.frame_end, scene.stiction.cache = frames, str(folder)
        scene.frame_set(1)
        assert bpy.ops.stiction.import_rigid_body() == {"FINISHED"}
        bpy.ops.stiction.check()
        for key in {item.check for item in self.refused} | {item.check for item in self.found if item.check in CLICKED}:
            bpy.ops.stiction.repair(check=key.upper())
        assert not self.refused
        assert bpy.ops.stiction.bake() == {"FINISHED"}
        self.scene = scene

    @property
    def found(self):
        """Findings of the checks."""
        return bpy.context.window_manager.stiction_findings.found

    @property
    def refused(self):
        """Findings that a bake would end with."""
        return [item for item in self.found if item.weight == "REFUSED"]

    @property
    def overlap(self):
        """Deepest overlap [m] of all steps."""
        frames = exhausted(RunFrames(Path(self.scene.stiction.run)).load_steps())
        return float(frames.steps["overlap"].max())

    def place_of_surface(self, ob):
        """Middle (x, y) and lowest height of an object's evaluated vertices at the last frame."""
        matrix = self.matrix(ob)
        mesh = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        places = np.array([matrix @ vertex.co for vertex in mesh.vertices])
        return np.array([*places[:, :2].mean(axis=0), places[:, 2].min()])

    def place(self, ob, frame=None):
        """Where an object is (3,) at a frame, the last one by default."""
        return np.array(self.matrix(ob, frame).translation)

    def matrix(self, ob, frame=None):
        """World matrix of an object at a frame."""
        self.scene.frame_set(self.scene.frame_end if frame is None else frame)
        return ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.copy()

    def lowest(self, ob, frame=None):
        """Lowest height of an object's vertices at a frame."""
        matrix = self.matrix(ob, frame)
        return min((matrix @ vertex.co).z for vertex in ob.data.vertices)

    def up(self, ob, frame=None):
        """Height of the direction of an object's own Z at a frame: 1 where it stands, 0 where it lies."""
        return (self.matrix(ob, frame).to_3x3() @ Vector((0, 0, 1))).normalized().z

    def rests(self, ob):
        """How far an object moves in the last quarter of a second."""
        end, past = self.scene.frame_end, max(1, self.scene.frame_end - 6)
        return float(np.linalg.norm(self.place(ob, end) - self.place(ob, past)))
