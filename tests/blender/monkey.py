"""A person without a plan: a seeded list of random steps, during runs and between them, with every timer alive.

    python tests/blender/monkey.py STEPS SEED [LOG [STEP,STEP to leave out]]

Operators of this extension run as in a window (hands.py), timers are fired by hand between the steps, before and after
Blender's dependency graph has followed. After each step the file is held against a small model that lies in the
objects themselves, so that undo, files and copies take it along: where the person has put an object, and how many
vertices he has given it. Every change is a step of undo, as every change by a person is: without one Blender goes back
to memory that was freed (blenders_own_undo.py). The log names each step before it is made; what fails is found again by
its seed.
"""

import faulthandler
import random
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]
    import conftest  # noqa: F401

import bpy
from bpy.ops import _BPyOpsSubModOp
from hands import Hands, Passing
from monkey_steps import Steps
from panel_layout import draw_all

NEAR = 1e-5
# Part of the steps after which Blender's graph follows only behind what timers do.
LATE = 0.5
# Part of the steps without the extension after which it is switched on again.
BACK = 0.3
# The modifier by which a deformable body is seen in a run in work.
LIVE = "Stiction Live"
# What a report to a person never holds: it is an exception's, not a sentence.
RAW = "Traceback", "[Errno", "Error: ", "object at 0x", "StructRNA"
# Steps that are made more often than others, and how much.
OFTEN = {"do_bake": 3, "do_bake_whole": 6, "do_wait": 3, "do_go_on": 2, "do_clear": 2, "do_new_file": 3, "do_undo": 2,
         "do_tab": 2}  # fmt: skip


class Timers:
    """Stands for bpy.app.timers: what is registered is fired by hand."""

    def __init__(self):
        self.waiting = []

    def register(self, function, first_interval=0.0, persistent=False):
        """Call a function later."""
        self.waiting.append(function)

    def is_registered(self, function):
        """True while it waits."""
        return function in self.waiting

    def unregister(self, function):
        """Call it no more."""
        self.waiting.remove(function)

    def fire(self):
        """Call all that wait, once."""
        for function in list(self.waiting):
            if function() is None and function in self.waiting:
                self.waiting.remove(function)


class Plainly:
    """Replaces attributes for good."""

    def setattr(self, owner, name, value):
        """Replace one."""
        setattr(owner, name, value)


class Wrong(AssertionError):
    """What the model and the file do not agree on."""


class Monkey(Steps):
    """Makes steps of the class's methods whose names begin with do_."""

    def __init__(self, seed, log=None, without=()):
        self.chance, self.folder, self.log = random.Random(seed), Path(tempfile.mkdtemp(prefix="monkey-")), log
        self.made, self.enabled, self.count = [], True, 0
        self.steps = sorted(name for name in dir(self) if name.startswith("do_"))
        # A monkey spoils more than it bakes.
        self.steps += [name for name in OFTEN for _ in range(OFTEN[name])]
        self.steps = [name for name in self.steps if name.removeprefix("do_") not in without]
        self._open_window()
        self._begin()

    def _open_window(self):
        from stiction.blender_addon.baking import signature
        from stiction.blender_addon.checks import runner
        from stiction.blender_addon.running import dropping, job, run
        from stiction.blender_addon.settings import recognised
        from stiction.operators import bake, bake_partial, check, clear, drop_to_rest, in_background, look_inside

        self.jobs, self.runner, self.timers = job, runner, Timers()
        self.bake, self.check = bake, check
        self._note_drops(dropping)
        self.verbs = {
            "bake": bake.STICTION_OT_bake, "go_on": bake.STICTION_OT_go_on, "clear": clear.STICTION_OT_clear,
            "bake_partial": bake_partial.STICTION_OT_bake_partial, "check": check.STICTION_OT_check,
            "plots": look_inside.STICTION_OT_plots, "drop_to_rest": drop_to_rest.STICTION_OT_drop_to_rest,
        }  # fmt: skip
        operators = bake, bake_partial, check, clear, drop_to_rest, in_background
        self.hands = Hands(Plainly(), *operators)
        app = Passing(bpy.app, background=False, timers=self.timers)
        for module in (signature, runner, run, recognised):
            module.bpy = Passing(bpy, app=app)
        recognised.SHORTEST = signature.SHORTEST = 0.0

    def _note_drops(self, dropping):
        """What Drop to Rest puts down lies where the person wants it from then on."""
        put = dropping._put

        def noted(scene, reading, *rest):
            count = put(scene, reading, *rest)
            fallen = {body.session_uid for body in reading.bodies if body.settings.type == "ACTIVE"}
            for ob in scene.objects:
                if ob.session_uid in fallen:
                    self._note(ob)
            return count

        dropping._put = noted

    # What surrounds a step.

    def go(self, steps):
        """Make so many steps."""
        for self.count in range(1, steps + 1):
            # Half of the time Blender's graph follows only after what timers do.
            late = self.chance.random() < LATE
            kept = _BPyOpsSubModOp._view_layer_update
            if late:
                _BPyOpsSubModOp._view_layer_update = staticmethod(lambda context: None)
            try:
                self._step(self.chance.choice(self.steps))
                self._tick()
            finally:
                _BPyOpsSubModOp._view_layer_update = kept
            bpy.context.view_layer.update()
            self._tick()
            self._agree()

    def _step(self, name):
        if self.log is not None:
            self.log.write(f"{self.count} {name}\n")
            self.log.flush()
        if not self.enabled and name != "do_enable":
            # Switched off, the file must live without it: soon it is switched on again.
            if self.chance.random() > BACK:
                return
            name = "do_enable"
        try:
            getattr(self, name)()
        except RuntimeError as error:
            said = str(error)
            # Blender's refusals are no errors; a traceback in one is.
            if "Traceback" in said or not said.startswith(("Error:", "Warning:", "Operator bpy.ops", "Info:")):
                raise

    def _tick(self):
        if not self.enabled:
            return
        self.timers.fire()
        if self.hands.manager.handlers:
            self.hands.event()
        if not self.hands.manager.handlers or self.chance.random() < 0.2:
            draw_all(bpy.context)

    def _agree(self):
        """Hold the file against the model."""
        manager, work = self.hands.manager, self.bake._work.get("work")
        if len(manager.timers) != len(manager.handlers):
            raise Wrong(f"{len(manager.timers)} timers for {len(manager.handlers)} operators")
        if not self.enabled:
            if self._processes():
                raise Wrong(f"processes {self._processes()} after it was switched off")
            return
        if self.jobs.running() and work is None:
            raise Wrong("a run that nobody works on")
        if len(self._processes()) > 2:
            raise Wrong(f"{len(self._processes())} processes")
        raw = [said for _, said in self.hands.said if any(word in said for word in RAW)]
        if raw:
            raise Wrong(f"an operator said {raw[0]!r}")
        for ob in bpy.data.objects:
            self._agree_on(ob, free=work is None and not manager.handlers)

    def _agree_on(self, ob, free):
        record = ob.stiction.record
        # Copies that a bake to instances shows are the bake's, whatever they are copies of.
        if "place" not in ob or ob.mode != "OBJECT" or ob.name.startswith("Stiction"):
            return
        if ob.type == "MESH" and ob.data.get("vertices") not in (None, len(ob.data.vertices)):
            raise Wrong(f"{ob.name} has {len(ob.data.vertices)} vertices, not {ob.data['vertices']}")
        if (record.shown or LIVE in ob.modifiers) and free:
            raise Wrong(f"{ob.name} is shown in a run that is over")
        if not record.shown and not record.baked and free:
            off = max(abs(a - b) for a, b in zip(ob.location, ob["place"], strict=True))
            if off > NEAR:
                raise Wrong(f"{ob.name} is {off:.3g} from where it was put")

    def reported(self):
        """How often operators reported what, by the first two words: "Baked: 22" counts as "Baked:"."""
        words = Counter(" ".join(word for word in said.split()[:2] if not word[:1].isdigit())
                        for _, said in self.hands.said)  # fmt: skip
        return ", ".join(f"{count} {word}" for word, count in words.most_common(9))

    def _processes(self):
        """Numbers of the processes that this one has started and that run."""
        found = []
        for task in Path("/proc/self/task").glob("*/children"):
            for number in task.read_text().split():
                stat = Path(f"/proc/{number}/stat")
                if stat.exists() and stat.read_text().rsplit(") ", 1)[1][0] != "Z":
                    found.append(int(number))
        return found

    # Helpers of steps.

    def _begin(self):
        """The file that the person starts with."""
        bpy.ops.wm.read_factory_settings(use_empty=True)
        self._begin_scene()

    def _begin_scene(self):
        """Three boxes over a slab."""
        bpy.context.preferences.edit.use_global_undo = True
        self._scene_settings(bpy.context.scene)
        self._box("PASSIVE", (0.0, 0.0, -0.5), (10.0, 10.0, 1.0))
        for number in range(3):
            self._box("ACTIVE", (0.3 * number, 0.0, 0.6 + 1.1 * number))
        bpy.ops.ed.undo_push(message="begin")

    def _scene_settings(self, scene):
        scene.frame_end, scene.stiction.cache = 12, str(self.folder / "cache")
        scene.stiction.steps_per_frame = 2

    def _box(self, kind, place, scale=(1.0, 1.0, 1.0)):
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=place, scale=scale)
        ob = bpy.context.object
        ob.stiction.type = kind
        self._note(ob)
        return ob

    def _note(self, ob):
        """Write into an object what the person has made of it."""
        ob["place"] = list(ob.location)
        if ob.type == "MESH":
            ob.data["vertices"] = len(ob.data.vertices)

    def _any(self, kind=None):
        found = [ob for ob in bpy.context.scene.objects if kind is None or ob.type == kind]
        return self.chance.choice(found) if found else None

    def _pick(self, count=1):
        """Select some objects; returns them, the last one active."""
        self._object_mode()
        found = [ob for ob in bpy.context.view_layer.objects if ob.type == "MESH"]
        some = self.chance.sample(found, min(count, len(found)))
        for ob in bpy.context.view_layer.objects:
            ob.select_set(ob in some)
        bpy.context.view_layer.objects.active = some[-1] if some else None
        return some

    def _object_mode(self):
        ob = bpy.context.view_layer.objects.active
        if ob is not None and ob.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
            if ob.type == "MESH":
                self._note_edit(ob)
            self._push("object mode")

    def _note_edit(self, ob):
        ob.data["vertices"] = len(ob.data.vertices)

    def _calm(self):
        """True if nobody's hands are tied: no operator swallows events."""
        work = self.bake._work.get("work")
        busy = self.check._work or (work is not None and (work.run is None or work.writing is not None))
        return not busy

    def _left_alone(self):
        """True if neither a run nor a bake moves objects."""
        return not self.hands.manager.handlers and not any(ob.stiction.record.baked for ob in bpy.data.objects)

    def _push(self, name):
        bpy.ops.ed.undo_push(message=name)

    def _leave_file(self):
        """What Blender does to operators that wait when it loads a file."""
        for operator in list(self.hands.manager.handlers):
            if hasattr(operator, "cancel"):
                operator.cancel(self.hands.context)
        self.hands.manager.handlers.clear()
        # Blender frees the timers of a window with it.
        self.hands.manager.timers.clear()


def run(steps, seed, log=None, without=()):
    """Make so many steps; returns (what went wrong, "" for nothing; how often which first words were reported)."""
    import stiction

    stiction.register()
    monkey = Monkey(seed, log, without)
    try:
        monkey.go(steps)
    except Exception:
        return f"seed {seed}, step {monkey.count}:\n{traceback.format_exc()}", monkey.reported()
    monkey._leave_file()
    if not monkey.enabled:
        stiction.register()
    stiction.unregister()
    left = monkey._processes()
    return f"seed {seed}: processes {left} are left" if left else "", monkey.reported()


def main(steps, seed, log=None, without=""):
    """Make the steps of a seed, and say how they went. Returns the exit code."""
    import os

    faulthandler.enable()
    with open(log or os.devnull, "w", encoding="utf-8") as written:
        found, reported = run(int(steps), int(seed), written, without.split(","))
    print(found or f"seed {seed}: {steps} steps, nothing wrong; {reported}", flush=True)
    # The module of 4.2 crashes on its way out after any property with an update callback.
    os._exit(1 if found else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
