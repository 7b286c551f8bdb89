"""The steps of monkey.py: each does what it says where a person could do it now, and nothing otherwise."""

import time

import bpy
from hands import ESC

# The most objects and scenes there are: the monkey is quick, its scenes are small.
MOST_OBJECTS, MOST_SCENES = 14, 3
# Seconds after which a run has gone on for long enough: a short one is over by then.
PATIENCE = 1.0


def follow():
    """Bring the graphs of all scenes up to date before undo: those that are not shown would keep what was deleted, and
    Blender 4.3 goes on with its memory (blenders_own_scenes.py)."""
    for scene in bpy.data.scenes:
        for layer in scene.view_layers:
            layer.update()


class Steps:
    """Steps of a Monkey, which has the chance, the hands and the notes; each name begins with do_."""

    # Steps. A person is let through only where events are.

    def do_add(self):
        if self._calm() and len(bpy.context.scene.objects) < MOST_OBJECTS:
            self._object_mode()
            place = [self.chance.uniform(-2.0, 2.0) for _ in range(2)] + [self.chance.uniform(0.6, 4.0)]
            self._box(self.chance.choice(("ACTIVE", "ACTIVE", "PASSIVE", "NONE")), place)
            self._push("add")

    def do_move(self):
        if self._calm() and self._left_alone() and (some := self._pick()):
            some[0].location.z += self.chance.uniform(0.0, 0.5)
            self._note(some[0])
            self._push("move")

    def do_tab(self):
        if self._calm() and bpy.context.view_layer.objects.active is not None:
            ob = bpy.context.view_layer.objects.active
            if ob.mode == "EDIT":
                self._object_mode()
            elif ob.type == "MESH":
                bpy.ops.object.mode_set(mode="EDIT")
                self._push("tab")

    def do_edit(self):
        if self._calm() and self._pick():
            bpy.ops.object.mode_set(mode="EDIT")
            bpy.ops.mesh.select_all(action="SELECT")
            if len(bpy.context.object.data.vertices) < 500:
                bpy.ops.mesh.subdivide()
            bpy.ops.mesh.select_all(action="DESELECT")
            self._push("edit")
            if self.chance.random() < 0.5:
                self._object_mode()

    def do_mode(self):
        if self._calm() and self._pick():
            bpy.ops.object.mode_set(mode=self.chance.choice(("SCULPT", "WEIGHT_PAINT", "VERTEX_PAINT", "OBJECT")))
            self._push("mode")

    def do_delete(self):
        if self._calm() and len(bpy.data.objects) > 2 and self._pick(self.chance.choice((1, 1, 2))):
            bpy.ops.object.delete()
            self._push("delete")

    def do_remove_data(self):
        if self._calm() and len(bpy.data.objects) > 3 and (ob := self._any()):
            self._object_mode()
            bpy.data.objects.remove(ob)
            self._push("remove")

    def do_undo(self):
        if self._calm() and bpy.ops.ed.undo.poll():
            follow()
            bpy.ops.ed.undo()

    def do_redo(self):
        if self._calm() and bpy.ops.ed.redo.poll():
            follow()
            bpy.ops.ed.redo()

    def do_duplicate(self):
        if self._calm() and len(bpy.context.scene.objects) < MOST_OBJECTS and self._left_alone() and self._pick():
            bpy.ops.object.duplicate(linked=self.chance.random() < 0.5)
            self._push("duplicate")

    def do_join(self):
        if self._calm() and self._left_alone() and len(bpy.context.scene.objects) > 4 and len(self._pick(2)) == 2:
            bpy.ops.object.join()
            self._note(bpy.context.object)
            self._push("join")

    def do_rename(self):
        if self._calm() and (ob := self._any()):
            ob.name = self.chance.choice(("Cube", "a", "Körper", "x" * 50))
            self._push("rename")

    def do_frame(self):
        if self._calm():
            bpy.context.scene.frame_set(self.chance.randint(0, 14))
            self._push("frame")

    def do_range(self):
        if self._calm():
            bpy.context.scene.frame_end = self.chance.choice((3, 8, 12, 12, 12, 12, 3000))
            self._push("range")

    def do_new_scene(self):
        if self._calm() and len(bpy.data.scenes) < MOST_SCENES:
            self._object_mode()
            bpy.ops.scene.new(type=self.chance.choice(("NEW", "FULL_COPY", "LINK_COPY")))
            self._scene_settings(bpy.context.scene)
            self._push("new scene")

    def do_switch_scene(self):
        if self._calm() and bpy.context.window is not None:
            self._object_mode()
            # Not bpy.context.window: its owner may be a scene that was freed (blenders_own_context.py).
            bpy.context.window_manager.windows[0].scene = self.chance.choice(list(bpy.data.scenes))
            self._push("scene")

    def do_delete_scene(self):
        if self._calm() and len(bpy.data.scenes) > 1:
            self._object_mode()
            bpy.ops.scene.delete()
            self._push("delete scene")

    def do_save(self):
        if self._calm() and not self.chance.randrange(3):
            bpy.ops.wm.save_as_mainfile(filepath=str(self.folder / f"{self.chance.randrange(2)}.blend"))

    def do_load(self):
        path = self.folder / f"{self.chance.randrange(2)}.blend"
        if path.exists() and not self.chance.randrange(4):
            self._leave_file()
            bpy.ops.wm.open_mainfile(filepath=str(path))
            bpy.context.preferences.edit.use_global_undo = True

    def do_new_file(self):
        if not self.chance.randrange(3):
            self._leave_file()
            self._begin()

    def do_append(self):
        path = self.folder / "0.blend"
        small = len(bpy.context.scene.objects) < MOST_OBJECTS - 4
        if self._calm() and small and path.exists() and bpy.data.filepath != str(path):
            self._object_mode()
            with bpy.data.libraries.load(str(path)) as (there, here):
                here.objects = there.objects[:2]
            for ob in here.objects:
                if ob is not None and ob.name not in bpy.context.scene.objects:
                    bpy.context.scene.collection.objects.link(ob)
            self._push("append")

    def do_disable(self):
        import stiction

        if not self.chance.randrange(6):
            stiction.unregister()
            self.enabled = False
            # Blender drops the operators of a class that is unregistered.
            self.hands.manager.handlers.clear()

    def do_enable(self):
        import stiction

        if not self.enabled:
            stiction.register()
            self.enabled = True

    def _press(self, name):
        verb = self.verbs[name]
        if self._calm() and verb.poll(self.hands.context):
            self._object_mode()
            self.hands.press(verb)

    def do_bake(self):
        self._press("bake")

    def do_go_on(self):
        self._press("go_on")

    def do_clear(self):
        self._press("clear")

    def do_bake_partial(self):
        self._press("bake_partial")

    def do_check(self):
        self._press("check")

    def do_wait(self):
        """Sit and look until a run is over, or for a moment."""
        for _ in range(self.chance.choice((3, 30, 100))):
            if not self.hands.manager.handlers:
                return
            self.hands.event()
            self.timers.fire()
            time.sleep(0.002)

    def do_wait_to_the_end(self):
        """Sit and look until nothing is at work any more."""
        patience = time.monotonic() + PATIENCE
        while self.hands.manager.handlers and time.monotonic() < patience:
            self.hands.event()
            self.timers.fire()
            time.sleep(0.005)

    def do_bake_whole(self):
        """What a person does who knows what he wants."""
        self._press("bake")
        self.do_wait_to_the_end()

    def do_escape(self):
        if self.hands.manager.handlers:
            self.hands.event(ESC)

    def do_pause(self):
        if self.jobs.running():
            bpy.ops.stiction.pause()

    def do_cancel(self):
        if self.jobs.running():
            bpy.ops.stiction.cancel()

    def do_discard(self):
        if self._calm() and bpy.ops.stiction.discard.poll():
            bpy.ops.stiction.discard()

    def do_settings(self):
        if self._calm() and (ob := self._any("MESH")):
            own = ob.stiction
            name, value = self.chance.choice((
                ("type", "ACTIVE"), ("type", "PASSIVE"), ("type", "NONE"), ("shape", "MESH"), ("shape", "AUTO"),
                ("shape", "CONVEX_HULL"), ("kinematic", True), ("kinematic", False), ("density", 500.0),
                ("friction", 0.1), ("use_mass", True),
            ))  # fmt: skip
            setattr(own, name, value)
            self._push("settings")

    def do_joint(self):
        if self._calm() and len(bpy.context.scene.objects) < MOST_OBJECTS and len(self._pick(2)) == 2:
            bpy.ops.stiction.connect(type=self.chance.choice(("FIXED", "HINGE", "BALL")))
            for ob in bpy.context.selected_objects:
                self._note(ob)
            self._push("joint")

    def do_instances(self):
        if self._calm():
            bpy.context.scene.stiction.bake_to = self.chance.choice(("KEYFRAMES", "INSTANCES"))
            self._push("settings")

    def do_rigid_body(self):
        if self._calm() and self._pick():
            bpy.ops.rigidbody.object_add()
            self._push("rigid body")

    def do_import_rigid_body(self):
        if self._calm() and bpy.ops.stiction.import_rigid_body.poll():
            bpy.ops.stiction.import_rigid_body()
            self._push("import")

    def do_drop_to_rest(self):
        if self._calm() and self._left_alone() and self._pick(self.chance.choice((1, 2))):
            self._press("drop_to_rest")

    def do_plots(self):
        self._press("plots")

    def do_material(self):
        if self._calm() and self._pick(2) and bpy.ops.stiction.set_material.poll():
            bpy.ops.stiction.set_material(material=self.chance.choice(("STEEL", "RUBBER", "ICE")))
            self._push("material")

    def do_deformable(self):
        if self._calm() and (ob := self._any("MESH")) and ob.stiction.type == "ACTIVE":
            elastic = ob.stiction.elastic
            elastic.use = not elastic.use
            elastic.element_size = 0.5
            self._push("deformable")

    def do_flow(self):
        kind = self.chance.choice(("EMITTER", "SINK", "COUNTER"))
        if self._calm() and len(bpy.context.scene.objects) < MOST_OBJECTS:
            self._object_mode()
            bpy.ops.stiction.flow_add(kind=kind)
            self._note(bpy.context.object)
            self._push("flow")

    # Blender's own tools.

    def do_apply(self):
        if self._calm() and self._left_alone() and (some := self._pick()) and some[0].data.users == 1:
            bpy.ops.object.transform_apply(location=False, rotation=True, scale=True)
            self._push("apply")

    def do_parent(self):
        if self._calm() and self._left_alone() and len(self._pick(2)) == 2:
            bpy.ops.object.parent_set(type="OBJECT", keep_transform=True)
            self._push("parent")

    def do_unparent(self):
        if self._calm() and self._left_alone() and self._pick(2):
            bpy.ops.object.parent_clear(type="CLEAR_KEEP_TRANSFORM")
            for ob in bpy.context.selected_objects:
                self._note(ob)
            self._push("unparent")

    def do_modifier(self):
        if self._calm() and (some := self._pick()):
            kind = self.chance.choice(("SUBSURF", "ARRAY", "NONE"))
            if kind == "NONE":
                some[0].modifiers.clear()
            elif len(some[0].modifiers) < 2:
                some[0].modifiers.new(kind, kind)
            self._push("modifier")

    def do_shade(self):
        if self._calm() and self._pick(2):
            bpy.ops.object.shade_smooth()
            self._push("shade")

    def do_hide(self):
        if self._calm() and (ob := self._any()):
            ob.hide_set(not ob.hide_get())
            self._push("hide")

    def do_collection(self):
        if self._calm() and self._pick(2):
            made = bpy.data.collections.new("c")
            bpy.context.scene.collection.children.link(made)
            for ob in bpy.context.selected_objects:
                made.objects.link(ob)
            self._push("collection")

    def do_no_rigid_body(self):
        if self._calm() and bpy.context.scene.rigidbody_world is not None:
            bpy.ops.rigidbody.world_remove()
            self._push("no rigid body")
