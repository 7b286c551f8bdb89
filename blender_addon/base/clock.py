"""How the frames of a scene follow each other."""

from .transforms import significant


def frames_per_second(scene):
    """Frames per simulated second: the scene's own, base included, at the speed of the simulation."""
    return scene.render.fps / significant(scene.render.fps_base) / significant(scene.stiction.time_scale)
