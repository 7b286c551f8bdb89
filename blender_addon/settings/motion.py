"""What a body's settings say of its motion. They are those of an object, `object.stiction`, or plain ones as read."""


def is_deformable(settings):
    """Whether a body is deformable: Active ones alone are, as the panel shows it for them alone."""
    return settings.type == "ACTIVE" and settings.elastic.use


def follows(settings):
    """Whether a body is deformable and its pins follow its animation."""
    return is_deformable(settings) and settings.kinematic


def is_dynamic(settings):
    """Whether the simulation moves a body, from the first frame or from its release on, or all but its pins."""
    return settings.type == "ACTIVE" and (not settings.kinematic or settings.release or settings.elastic.use)
