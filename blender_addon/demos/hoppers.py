"""The demo of the studies: one hopper at two friction coefficients side by side, one flows, one jams."""

import math

import bpy

from ..examples import EXAMPLES
from . import stage

FRAMES = 121  # 5 s, the first frame included
SAYS = "one hopper at two friction coefficients, side by side"
NEXT = "stiction study examples/jam_vs_friction.toml (four coefficients, four outlets; about an hour and a half)"
# Where jams at an outlet of three balls are counted: examples/quick_jam.toml. In the film the rough balls, at the
# narrower outlet here [diameters], hold for all of it: at three their arch gives way after some seconds.
FRICTION, APART, OUTLET = (0.1, 0.8), 2.6, 2.8
OPENS = 1.2  # [s]
PLATES = (0.35, 0.45, 0.55, 1.0)


def build(scene):
    """Two hoppers of the example, with balls of other friction in each, over one ground."""
    for number, friction in enumerate(FRICTION):
        for ob in EXAMPLES["hopper"].build(scene, OUTLET):
            _fit(ob, number, friction)
    stage.add_camera_and_light(scene)
    camera = scene.camera
    camera.location, camera.rotation_euler = (0.0, -10.5, 2.0), (1.55, 0.0, 0.0)
    camera.data.lens = 60
    scene.display.render_aa = "5"
    for number, friction in enumerate(FRICTION):
        _label(scene, f"friction {friction:g}", (number - 0.5) * APART)


def _fit(ob, number, friction):
    """Move an object of a hopper to its place and set what the film needs."""
    if ob.name.startswith("Ground"):
        ob.color = stage.STONE
        if number:
            bpy.data.objects.remove(ob)
        return
    ob.location.x += (number - 0.5) * APART
    if ob.name.startswith("Plate"):
        # In front it would hide the balls.
        ob.hide_render = True
        return
    ob.stiction.friction = friction
    ob.color = (stage.SAND, stage.RUST)[number] if ob.name.startswith("Ball") else PLATES
    if ob.name.startswith("Gate"):
        ob.stiction_flow.gate, ob.stiction_flow.at_rest, ob.stiction_flow.gate_time = True, False, OPENS


def _label(scene, text, x):
    curve = bpy.data.curves.new(text, "FONT")
    curve.body, curve.size, curve.align_x = text, 0.22, "CENTER"
    ob = bpy.data.objects.new(text, curve)
    ob.location, ob.rotation_euler, ob.color = (x, -0.6, 3.05), (0.5 * math.pi, 0.0, 0.0), (0.1, 0.1, 0.12, 1.0)
    scene.collection.objects.link(ob)
