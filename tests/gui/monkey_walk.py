"""The monkey of tests/blender in a real window: its steps are made by Blender's own timers, operators wait for events.

Run by WALK=tests/gui/monkey_walk.py STEPS=200 SEED=7 sh tools/test_gui.sh; the log of the steps is out/gui_monkey.log.
"""

import os
import sys
import time
import traceback
from pathlib import Path
from types import SimpleNamespace

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import monkey
from driver import check, key, override, part, window
from hands import ESC

STEPS, SEED = int(os.environ.get("STEPS", "200")), int(os.environ.get("SEED", "1"))
# Seconds between two steps, and after which the person who waits for a run has waited enough.
BETWEEN, PATIENCE = 0.02, 3.0
# These load a file: windows are not the same afterwards, so none may be held meanwhile.
OF_FILES = ("do_load", "do_new_file")


def is_ours(operator):
    """Whether an operator that waits is of this extension; one whose class was unregistered is None or has nothing to
    ask, and Blender drops it at its next event."""
    try:
        return operator is not None and operator.bl_idname.startswith("STICTION_OT_")
    except ValueError:
        return False


class Manager:
    """The window's own operators that wait for events."""

    @property
    def handlers(self):
        """Those of this extension."""
        return [one for one in window()[0].modal_operators if is_ours(one)]

    @property
    def timers(self):
        """Blender counts them itself."""
        return self.handlers


class WindowHands:
    """As Hands of tests/blender, with Blender's window in their place."""

    manager, said = Manager(), ()

    @property
    def context(self):
        """Blender's own."""
        return bpy.context

    def press(self, verb):
        """Invoke an operator's class."""
        return getattr(bpy.ops.stiction, verb.bl_idname.partition(".")[2])("INVOKE_DEFAULT", True)

    def event(self, event):
        """A key with the mouse over the sidebar."""
        if event is ESC:
            region = window()[2]["UI"]
            key("Escape", *driver.at(region, 60, 300))
        return set()


class WindowMonkey(monkey.Monkey):
    """Makes a step a call of a timer."""

    def _open_window(self):
        verbs = ("bake", "go_on", "clear", "bake_partial", "check", "plots", "drop_to_rest")
        modules = {"go_on": "bake", "plots": "look_inside"}
        self.jobs = part("blender_addon.running.job")
        self.bake, self.check = part("operators.bake"), part("operators.check")
        self._note_drops(part("blender_addon.running.dropping"))
        self.verbs = {
            name: getattr(part(f"operators.{modules.get(name, name)}"), f"STICTION_OT_{name}") for name in verbs
        }
        self.hands, self.timers, self.until = WindowHands(), SimpleNamespace(fire=lambda: None), None
        self.fresh = False

    def _begin(self):
        bpy.ops.wm.read_homefile(use_empty=True)
        with override():
            super()._begin_scene()
        # A window that was just loaded has not been drawn yet.
        self.fresh = True

    def _leave_file(self):
        """Blender does it."""

    def _processes(self):
        """Those but the shells that press keys."""
        names = {one: Path(f"/proc/{one}/comm") for one in super()._processes()}
        return [one for one, name in names.items() if name.exists() and name.read_text().strip() != "sh"]

    def _tick(self):
        """Blender fires its timers and draws."""

    def tick(self):
        """One step, or a look at what is waited for; True while there are steps left."""
        if self.fresh:
            self.fresh = False
            driver.open_sidebar()
            return True
        if self.until is not None and not self.until():
            return True
        self.until = None
        if self.count >= STEPS:
            return False
        self.count += 1
        name = self.chance.choice(self.steps)
        if name in OF_FILES:
            self._step(name)
        else:
            with override():
                self._step(name)
        bpy.context.view_layer.update()
        self._agree()
        return self.count < STEPS or self.until is not None

    def do_wait(self):
        """Look at it for a moment."""
        end = time.monotonic() + self.chance.choice((0.1, 0.3, 1.0))
        self.until = lambda: time.monotonic() > end

    def do_wait_to_the_end(self):
        """Look at it until nothing is at work any more."""
        end = time.monotonic() + PATIENCE
        self.until = lambda: time.monotonic() > end or not self.hands.manager.handlers

    def do_disable(self):
        if not self.chance.randrange(6):
            bpy.ops.preferences.addon_disable(module=driver.PACKAGE)
            self.enabled = False

    def do_enable(self):
        if not self.enabled:
            bpy.ops.preferences.addon_enable(module=driver.PACKAGE)
            self.enabled = True
            # Its modules are loaded anew.
            self._open_window()


at_work = {}


def install():
    driver.install()
    driver.open_sidebar()


def begin():
    log = open(os.path.join(driver.HERE, "gui_monkey.log"), "w", encoding="utf-8")  # noqa: SIM115
    at_work["monkey"] = WindowMonkey(SEED, log)


def play():
    one = at_work["monkey"]
    try:
        return one.tick()
    except Exception:
        traceback.print_exc()
        check(False, f"seed {SEED}, step {one.count} goes well")
        return False


def look():
    driver.picture("end")


def finish():
    one = at_work["monkey"]
    check(one.count == STEPS, f"seed {SEED}: {one.count} of {STEPS} steps in Blender {bpy.app.version_string}")
    if one.enabled:
        one.jobs.stop_all()
    driver.finish()


driver.begin("monkey", [install, begin, play, look, finish], pause=2.0, again=BETWEEN, pictures="monkey_", give_up=True)
