"""The demo of concave bodies: gears and jacks jam in a narrow funnel, and a rod pokes them free.

They are poured into a wedge behind glass and hook into an arch over its outlet. When they jam, and for how long, is not
set anywhere: the outlet is narrow enough for it whatever the seed, the rod comes at a fixed time and stirs for long
enough to empty the wedge, and what glows is what carries (`jam.py`).
"""

import math

import bpy
import numpy as np

from ...solver.shapes import generators
from ..bakers.instances import carriers
from ..flow.settings import add as add_flow
from ..joints.adding import add_joint
from . import jam, stage

FRAMES = 289  # 12 s, the first frame included
BODY_COUNT = 300
# Measured, for the time left: CPU time of simulation and pictures [s], and the part of the first done by each second.
COSTS = 195.0, 160.0
PACE = 0.0, 0.01, 0.13, 0.16, 0.22, 0.33, 0.45, 0.56, 0.68, 0.80, 0.92, 0.98, 1.0
SAYS = f"{BODY_COUNT} gears and jacks in a narrow funnel"
NEXT = ("make film (720 lines), make demo-soft (rubber rings), make demo-studies (how often does a funnel jam?), "
        ".venv/bin/stiction scenes")  # fmt: skip
# Bodies a second, their speed as they come [m/s], half the height of the room they come in [m]: they pile up over the
# outlet.
RATE, FALL, SPOUT = 400.0, 3.0, 0.6
SEED = 6

# The wedge: half the width of outlet and bin, depth between the glasses, height of outlet and rim, thickness [m]. Gears
# pass between the rod and an edge of the outlet.
OUTLET, BIN, DEPTH, LOW, TOP, SHEET = 0.19, 0.85, 0.46, 0.90, 2.30, 0.05
SLOPE = 40.0  # of its walls against the vertical [degrees]
GEAR, TEETH = 0.16, 8  # tip diameter [m]
FRICTION = 0.3

# The rod: radius and length [m], too short for what lies in the tray, and too thick for two gears, one upright, between
# it and the glass, where they would be crushed; when it comes, how often it pokes, how long a
# poke takes [s].
ROD, REACH = 0.03, 0.42
COMES, POKES, PERIOD = 3.4, 17, 0.36
# How far the grip of its hand gives way [m/N]: a fifth of a metre under the weight of what hangs on the arch.
GIVES = 2e-4
# Places of its tip along its axis from the middle of the outlet [m], and how far it leans to and fro [degrees].
NEAR, DEEP, LEAN = -0.02, 0.36, 9.0
# Where its middle waits and where it goes, outside of the picture [m], and how it leans there [degrees].
WAITS, LEAVES, TILT = (2.9, 0.0, 0.5), (2.9, 0.0, 1.6), 75.0

COLORS = ((0.98, 0.55, 0.12, 1.0), (0.90, 0.20, 0.12, 1.0), (0.98, 0.82, 0.42, 1.0),
          (0.05, 0.50, 0.60, 1.0), (0.10, 0.72, 0.62, 1.0), (0.86, 0.88, 0.90, 1.0))  # fmt: skip
BOARD = (0.022, 0.028, 0.042, 1.0)
STEEL, PANE, WOOD = (0.30, 0.36, 0.44, 1.0), (0.60, 0.75, 0.90, 0.07), (0.95, 0.92, 0.85, 1.0)
NIGHT = (0.030, 0.038, 0.055)


def build(scene):
    """The wedge over its tray, the rod beside it, the emitter above it, and a camera that follows the story."""
    build_wedge(scene)
    stage.build_tray(scene, STEEL)
    rod = build_rod(scene)
    add_emitters(scene)
    for ob in scene.objects:
        # The rod is smooth: what it drags along would be crushed between it and the outlet's edges.
        ob.stiction.friction = 0.0 if ob is rod else FRICTION
    stage.add_camera_and_light(scene)
    scene.world.color = NIGHT
    # Shadows of so many bodies would take three times as long as all else in a picture.
    scene.display.render_aa, scene.display.shading.show_shadows = "5", False
    follow(scene)
    # Forces as exact as a film shows them: a jam that is solved to all digits takes a third longer.
    scene.stiction.simulation.accuracy = "1e-5"
    # The glow is drawn from the forces of every contact of a frame.
    scene.stiction.simulation.store_contacts, scene.stiction.simulation.contacts_of = True, "FRAMES"


def build_wedge(scene):
    """Two slopes down to the outlet, two sides above them, a pane of glass in front and a wall behind."""
    angle = math.radians(SLOPE)
    length = (BIN - OUTLET) / math.sin(angle)
    shoulder = LOW + length * math.cos(angle)
    deep = DEPTH + 2 * SHEET
    for sign in (-1, 1):
        along = np.array([sign * math.sin(angle), math.cos(angle)])
        outwards = np.array([sign * math.cos(angle), -math.sin(angle)])
        x, z = np.array([sign * OUTLET, LOW]) + 0.5 * length * along + 0.5 * SHEET * outwards
        slope = stage.box(scene, "Slope", (x, 0, z), (SHEET, deep, length), STEEL)
        slope.rotation_euler.y = sign * angle
        middle, height = 0.5 * (shoulder + TOP), TOP - shoulder
        stage.box(scene, "Side", (sign * (BIN + SHEET / 2), 0, middle), (SHEET, deep, height), STEEL)
    middle, size = 0.5 * (LOW + TOP), (2 * (BIN + SHEET), SHEET, TOP - LOW)
    pane = stage.box(scene, "Pane", (0, -0.5 * (DEPTH + SHEET), middle), size, PANE)
    back = stage.box(scene, "Back", (0, 0.5 * (DEPTH + SHEET), middle), size, PANE)
    # Glass this clean is not seen; a dark board behind it lets the bodies stand out.
    pane.hide_render = back.hide_render = True
    corners = [(sign * x, z) for sign, x, z in ((-1, OUTLET, LOW), (1, OUTLET, LOW), (1, BIN, shoulder), (1, BIN, TOP),
                                                (-1, BIN, TOP), (-1, BIN, shoulder))]  # fmt: skip
    board = bpy.data.meshes.new("Board")
    board.from_pydata([(x, 0.5 * DEPTH + SHEET, z) for x, z in corners], [], [range(6)])
    stage.new_object(scene, "Board", board, BOARD)


def build_rod(scene):
    """The rod, outside of the picture, in the grip of a hand with the keys of its pokes: keys that push a rod by
    themselves push harder than anything can yield. Returns it."""
    round_end = [(ROD * math.cos(a), ROD * math.sin(a)) for a in np.linspace(0.0, 0.5 * math.pi, 5)]
    half = 0.5 * REACH - ROD
    profile = [(x, -half - z) for x, z in round_end[::-1]] + [(x, half + z) for x, z in round_end]
    rod = stage.new_object(scene, "Rod", stage.mesh_of("Rod", *generators.lathe(profile, 16), smooth=60), WOOD)
    hand = stage.new_object(scene, "Hand", stage.mesh_of("Hand", *generators.plate((ROD, ROD, ROD))), WOOD)
    stage.body(rod, "ACTIVE")
    stage.body(hand, "ACTIVE")
    hand.stiction.kinematic = hand.hide_render = True
    # A hand is nowhere in the way.
    hand.stiction.collides_with = [False] * len(hand.stiction.collides_with)
    for time, place, lean in reversed(rod_poses()):
        hand.location, hand.rotation_euler.y = place, -math.radians(lean)
        for path in ("location", "rotation_euler"):
            hand.keyframe_insert(path, frame=1 + time * stage.FPS)
    rod.location, rod.rotation_euler = hand.location, hand.rotation_euler
    grip = add_joint(scene, "fixed", (hand, rod), hand.location)
    grip.stiction_joint.compliance = GIVES
    return rod


def rod_poses():
    """[(time [s], middle [m], lean [degrees])]: it comes, pokes to and fro, goes."""
    poses = [(COMES - 1.1, WAITS, TILT), (COMES, *reaching(NEAR, LEAN))]
    for k in range(POKES):
        lean = LEAN if k % 2 else -LEAN
        start = COMES + k * PERIOD
        poses += [(start + 0.5 * PERIOD, *reaching(DEEP, lean)), (start + PERIOD, *reaching(NEAR, lean))]
    # It stays until the last have run past it, and leaves above what lies in the tray.
    ends = COMES + POKES * PERIOD
    return [*poses, (ends + 0.6, *reaching(NEAR, poses[-1][2])), (ends + 2.0, LEAVES, TILT)]


def reaching(tip, lean):
    """(middle [m], lean [degrees]) of the rod with its tip so far inside the outlet [m]."""
    angle = math.radians(lean)
    along = np.array([-math.sin(angle), 0.0, math.cos(angle)])
    return np.array([0.0, 0.0, LOW]) + (tip - 0.5 * REACH) * along, lean


def add_emitters(scene):
    """Gears and jacks of three colours each, poured from above the picture: an emitter a colour."""
    gear = stage.mesh_of("Gear", *generators.gear(TEETH, 0.36 * GEAR, 0.5 * GEAR, 0.3 * GEAR, 0.14 * GEAR))
    jack = stage.mesh_of("Jack", *generators.jack(stage.JACK, stage.BAR))
    for number, color in enumerate(COLORS):
        shapes = bpy.data.collections.new(f"Poured {number}")
        ob = bpy.data.objects.new(f"Poured {number}", (gear, jack)[number % 2])
        ob.color = color
        shapes.objects.link(ob)
        settings = ob.stiction
        settings.density, settings.friction, settings.restitution = stage.DENSITY, FRICTION, stage.RESTITUTION
        emitter = add_flow(scene, "EMITTER", (0, 0, TOP + 0.1 + SPOUT))
        emitter.scale = (0.75 * BIN, 0.5 * DEPTH - 0.1, SPOUT)
        flow = emitter.stiction_flow
        flow.pours, flow.count, flow.rate = shapes, BODY_COUNT // len(COLORS), RATE / len(COLORS)
        flow.velocity, flow.seed = (0, 0, -FALL), SEED + number


def follow(scene):
    """Keys of the camera: all of it, the arch, all of it again, the tray."""
    wide, arch, tray = (0.05, 0.0, 1.08), (0.0, 0.0, 1.22), (0.0, 0.0, 0.36)
    views = ((0.0, (0.5, -5.6, 1.6), wide), (1.6, (0.5, -5.6, 1.6), wide), (3.0, (0.25, -3.4, 1.25), arch),
             (4.8, (0.25, -3.4, 1.25), arch), (6.6, (0.5, -5.4, 1.6), wide), (8.6, (0.5, -5.4, 1.6), wide),
             (11.5, (0.6, -3.4, 1.75), tray))  # fmt: skip
    for time, eye, target in views:
        stage.aim(scene.camera, eye, target, 1 + time * stage.FPS)


def decorate(scene, record):
    """Show in a baked scene what carries while nothing runs out."""
    jam.decorate(scene, record, carriers(scene), LOW)


def moments(record):
    """[(row, words)] of the frames that tell what happened."""
    return jam.moments(record, LOW, COMES, COMES + 0.5 * PERIOD)


def story(record):
    """What happened, in a sentence."""
    return jam.story(record, LOW, COMES, stage.TRAY + stage.WALL)
