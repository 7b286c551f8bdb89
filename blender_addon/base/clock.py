"""How the frames of a scene follow each other."""

from .transforms import significant


def frames_per_second(scene):
    """Frames per simulated second: the scene's own, base included, at the speed of the simulation."""
    return scene.render.fps / significant(scene.render.fps_base) / significant(scene.stiction.time_scale)


def given_range(scene):
    """First and last frame as they are set, whatever is between them."""
    source = scene if scene.stiction.use_scene_range else scene.stiction
    return source.frame_start, source.frame_end
