"""The bridge between Blender and the solver: the only package that knows both."""


def _parts():
    """Modules with settings to register, in order; the first ones are what the others hang on."""
    from .checks import runner, store
    from .flow import settings as flow_settings
    from .joints import settings as joint_settings
    from .materials import own_presets
    from .overlay import drawing
    from .running import command_line
    from .settings import properties
    from .study import settings as study_settings

    return properties, flow_settings, joint_settings, store, runner, drawing, study_settings, own_presets, command_line


def register():
    """Register the settings of objects and scenes."""
    from .running import live

    for part in _parts():
        part.register()
    live.start()


def unregister():
    """Stop what is at work and remove the settings."""
    from .baking import signature
    from .inside import background
    from .running import job, kernels_ahead, live, run
    from .settings import recognised
    from .study import process as study_process

    live.stop()
    study_process.stop()
    job.stop_all()
    kernels_ahead.end()
    background.stop_all()
    recognised.stop()
    signature.stop()
    run.stop()
    for part in reversed(_parts()):
        part.unregister()
