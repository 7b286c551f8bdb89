"""A line in Blender's status bar that stays, whatever else writes there."""

import bpy


def add(draw):
    """Draw in the status bar from now on."""
    _as_its_own(lambda header: header.append(draw))


def remove(draw):
    """Take it back."""
    _as_its_own(lambda header: header.remove(draw))


def _as_its_own(change):
    """Change what draws the status bar when no operator writes there.

    WorkSpace.status_text_set keeps what drew it at the first text of a session, and brings that back after every text.
    The installer writes there before the extension is loaded, so what is appended later would go with the next text.
    """
    header = bpy.types.STATUSBAR_HT_header
    shown, kept = header.draw, getattr(header, "_draw_orig", None)
    if kept is None:
        change(header)
        return
    header.draw = kept
    change(header)
    header._draw_orig = header.draw
    if shown is not kept:
        # Another's text stands there.
        header.draw = shown
