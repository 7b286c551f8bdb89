"""The bridge between Blender and the solver: the only package that knows both."""


def register():
    """Register the settings of objects and scenes."""
    from . import properties

    properties.register()


def unregister():
    """Stop a running job and remove the settings."""
    from . import job, properties, recognised

    job.stop_all()
    recognised.stop()
    properties.unregister()
