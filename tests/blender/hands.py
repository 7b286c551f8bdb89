"""Operators as in a window, in a Blender that has none: they are invoked, and get their events from here."""

import time
from types import SimpleNamespace

import bpy

TIMER = SimpleNamespace(type="TIMER", value="NOTHING", mouse_x=-1, mouse_y=-1)
ESC = SimpleNamespace(type="ESC", value="PRESS", mouse_x=-1, mouse_y=-1)


class Passing:
    """Something of Blender's with some attributes replaced."""

    def __init__(self, instead_of, **attributes):
        self.__dict__.update(attributes, instead_of=instead_of)

    def __getattr__(self, name):
        return getattr(self.instead_of, name)


class Manager:
    """Stands for the window manager: `timers` are those that run, `handlers` the operators that wait for events."""

    windows = ()

    def __init__(self):
        self.timers, self.handlers = [], []

    def event_timer_add(self, interval, window=None):
        """A timer."""
        self.timers.append(object())
        return self.timers[-1]

    def event_timer_remove(self, timer):
        """The end of one; one that does not run is an error."""
        self.timers.remove(timer)

    def modal_handler_add(self, operator):
        """An operator waits for events."""
        self.handlers.append(operator)
        return True

    def __getattr__(self, name):
        return getattr(bpy.context.window_manager, name)


class Workspace:
    """Stands for the workspace: `texts` are what the status bar has shown."""

    def __init__(self):
        self.texts = []

    def status_text_set(self, text):
        """Show a text."""
        if text is not None:
            self.texts.append(text)


class Hands:
    """A window with a person before it. `said` are the operators' reports, (kind, sentence)."""

    def __init__(self, monkeypatch, *modules):
        """modules: those whose code shall find a window."""
        self.said, self.manager, self.workspace = [], Manager(), Workspace()
        self.context = Passing(bpy.context, window_manager=self.manager, workspace=self.workspace, window=None)
        windowed = Passing(bpy, app=Passing(bpy.app, background=False), context=self.context)
        for module in modules:
            monkeypatch.setattr(module, "bpy", windowed)

    def press(self, cls, **options):
        """Invoke an operator's class; returns what it answers."""
        members = {}
        for base in reversed(cls.__mro__):
            if base.__module__.startswith("stiction"):
                members |= {key: value for key, value in vars(base).items() if key not in ("__dict__", "bl_rna")}
        hand = type(cls.__name__, (), members)()
        hand.report = lambda kind, sentence: self.said.append((*kind, sentence))
        defaults = {name: entry.keywords.get("default") for base in cls.__mro__
                    for name, entry in vars(base).get("__annotations__", {}).items()
                    if hasattr(entry, "keywords")}  # fmt: skip
        for key, value in (defaults | options).items():
            setattr(hand, key, value)
        return self._ended(hand, hand.invoke(self.context, TIMER))

    def event(self, event=TIMER):
        """Send an event to the operators that wait, the last one first; returns the last answer."""
        answer = None
        for operator in list(reversed(self.manager.handlers)):
            answer = self._ended(operator, operator.modal(self.context, event))
            if answer & {"FINISHED", "CANCELLED"}:
                self.manager.handlers.remove(operator)
            if "PASS_THROUGH" not in answer:
                break
        return answer

    @staticmethod
    def _ended(operator, answer):
        """What Blender does behind an operator that has changed the file: a step of undo."""
        if "FINISHED" in answer and "UNDO" in getattr(operator, "bl_options", ()):
            bpy.ops.ed.undo_push(message=operator.bl_label)
        return answer

    def wait(self, most=10_000):
        """Send the timer's events until no operator waits any more; returns the last answer."""
        answer = None
        while self.manager.handlers and most:
            answer, most = self.event(), most - 1
            if answer is not None and "PASS_THROUGH" in answer:
                # Another process works.
                time.sleep(0.002)
        assert not self.manager.handlers, "an operator waits for ever"
        return answer


def in_slices_of(monkeypatch, seconds):
    """Let operators return to the window after so many seconds of work at most."""
    from stiction.blender_addon.base import slices
    from stiction.operators import bake, check

    for module, name in ((slices, "LEAST"), (slices, "MOST"), (bake, "FIRST_SLICE"), (check, "FIRST_SLICE")):
        monkeypatch.setattr(module, name, seconds)
