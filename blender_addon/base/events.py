"""Operators that wait for a window's events, and what is left of them when the extension is switched off.

Blender frees an operator whose class is unregistered, but its empty place among those that wait in the window stays
until the window's next event. Blender 4.3 crashes where another operator begins to wait, or to choose a file, before.
"""

import functools

import bpy

INTERVAL = 0.02  # seconds between two events that are made up so that Blender drops what is gone

# The timer of each operator that waits, by its name; not on the operator, which Blender frees when a file is loaded or
# the extension is switched off.
_timers = {}


def begin(operator, context, seconds):
    """Let an operator wait for events, and for one of a timer's every so many seconds; returns what it answers."""
    manager = context.window_manager
    _timers[operator.bl_idname] = manager, manager.event_timer_add(seconds, window=context.window)
    manager.modal_handler_add(operator)
    return {"RUNNING_MODAL"}


def end(operator):
    """An operator waits no more; nothing where it does not wait."""
    _end(operator.bl_idname)


def end_all():
    """None waits any more: the extension is switched off."""
    for name in list(_timers):
        _end(name)


def _end(name):
    manager, timer = _timers.pop(name, (None, None))
    if manager is not None:
        manager.event_timer_remove(timer)


def waiting():
    """True while an operator waits for events: it runs, reads or writes, and a person may want to stop it."""
    return bool(_timers)


def gone(window):
    """True if a window still holds an operator whose class was unregistered."""
    # None or what points nowhere, which of them depends on Blender; the latter has no attributes to ask for.
    points = bpy.types.bpy_struct.as_pointer
    return window is not None and any(one is None or not points(one) for one in window.modal_operators)


def waits(invoke):
    """Decorates the invoke() of an operator that begins to wait for events: refused as long as that is a crash."""

    @functools.wraps(invoke)
    def invoked(self, context, event):
        if gone(context.window):
            self.report({"ERROR"}, f"the extension was switched off at work a moment ago; press {self.bl_label} again")
            return {"CANCELLED"}
        return invoke(self, context, event)

    return invoked


def drop():
    """Have all windows drop what is gone: none may have an event of its own for long."""
    manager = getattr(bpy.context, "window_manager", None)
    holding = [window for window in manager.windows if gone(window)] if manager is not None else []
    if not holding:
        return
    timers = [manager.event_timer_add(INTERVAL, window=window) for window in holding]

    def look():
        manager = bpy.context.window_manager
        if any(gone(window) for window in manager.windows):
            return INTERVAL
        for timer in timers:
            manager.event_timer_remove(timer)
        return None

    # Also when a file is loaded meanwhile, or a window that stays would get events for ever.
    bpy.app.timers.register(look, first_interval=INTERVAL, persistent=True)
