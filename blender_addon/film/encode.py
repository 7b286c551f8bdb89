"""Pictures to a film, by Blender's own encoder."""

from pathlib import Path

import bpy

from ..base.render import image_size, render_movie, strips_of


def encode(pictures, path, frame_rate):
    """Write .png files as an .mp4 at exactly `path`, frame_rate pictures a second."""
    scene = bpy.data.scenes.new("Film")
    try:
        scene.render.fps, scene.frame_start, scene.frame_end = frame_rate, 1, len(pictures)
        width, height = image_size(pictures[0])
        scene.render.resolution_x, scene.render.resolution_y = width, height
        scene.render.resolution_percentage = 100
        scene.view_settings.view_transform = "Standard"
        scene.sequence_editor_create()
        strip = strips_of(scene).new_image("Pictures", str(pictures[0]), channel=1, frame_start=1)
        for picture in pictures[1:]:
            strip.elements.append(Path(picture).name)
        strip.frame_final_duration = len(pictures)
        render_movie(scene, path)
    finally:
        bpy.data.scenes.remove(scene)
