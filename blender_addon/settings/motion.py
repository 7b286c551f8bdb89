"""What a body's settings say of its motion. They are those of an object, `object.stiction`, or plain ones as read."""

from itertools import pairwise


def is_deformable(settings):
    """Whether a body is deformable: Active ones alone are, as the panel shows it for them alone."""
    return settings.type == "ACTIVE" and settings.elastic.use


def follows(settings):
    """Whether a body is deformable and its pins follow its animation."""
    return is_deformable(settings) and settings.kinematic


def switch_frames(settings):
    """Frames at which an Active body is let go, held again, and so on; None where they do not rise."""
    if not settings.release:
        return ()
    try:
        frames = (settings.release_frame, *map(int, settings.held_again.replace(",", " ").split()))
    except ValueError:
        return None
    return frames if all(one < other for one, other in pairwise(frames)) else None


def is_dynamic(settings):
    """Whether the simulation moves a body, at any time, or all of it but its pins."""
    return settings.type == "ACTIVE" and (not settings.kinematic or settings.release or settings.elastic.use)
