"""The demo of deformable bodies: rubber rings and balls squeeze through a narrow funnel, steel jacks on top of them."""

import numpy as np

from ...solver.shapes import generators
from . import stage

FRAMES = 49  # 2 s, the first frame included
STEPS_PER_FRAME = 4
SAYS = "rubber rings and balls, squeezed through a funnel by steel jacks"
NEXT = "make demo (gears and jacks that jam), .venv/bin/stiction scenes"
RINGS, BALLS, JACKS = 3, 2, 4
RING, TUBE, BALL = 0.17, 0.07, 0.17  # radii [m]
RING_ROOM = 0.15  # half the height of a tilted ring [m]
# The outlet is narrower than a ring is wide: what passes must fold or tilt.
HOPPER = (
    (0.21, 0.60), (0.75, 1.20), (0.75, 1.62), (0.80, 1.62), (0.80, 1.18), (0.26, 0.58), (0.26, 0.54), (0.21, 0.54),
)  # fmt: skip
YOUNG, POISSON, DAMPING, DENSITY, FRICTION = 1.5e5, 0.45, 4e-3, 1100.0, 0.3
RING_ELEMENT, BALL_ELEMENT = 0.07, 0.09  # [m]
SEED = 3


def build(scene):
    """The hopper over its tray; rings and balls of rubber in it, jacks of steel above."""
    scene.stiction.steps_per_frame = STEPS_PER_FRAME
    surface = generators.lathe(HOPPER[::-1], stage.HOPPER_SEGMENTS, loop=True)
    stage.body(stage.new_object(scene, "Hopper", stage.mesh_of("Hopper", *surface, smooth=30), stage.GLASS), "PASSIVE")
    stage.build_tray(scene)
    ring = stage.mesh_of("Ring", *generators.torus(RING, TUBE, 24, 10), smooth=180)
    ball = stage.mesh_of("Ball", *generators.icosphere(BALL, 2), smooth=180)
    jack = stage.mesh_of("Jack", *generators.jack(stage.JACK, stage.BAR))
    rng = np.random.default_rng(SEED)
    height = 1.25
    for i in range(RINGS + BALLS):
        is_ball = i % 2 == 1 and i // 2 < BALLS
        ob = stage.new_object(scene, f"{'Ball' if is_ball else 'Ring'} {i}", ball if is_ball else ring,
                             stage.TEAL if is_ball else stage.RUST)  # fmt: skip
        ob.location = (*rng.uniform(-0.08, 0.08, 2), height)
        ob.rotation_euler = (rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3), 0.0)
        height += BALL + RING_ROOM
        stage.body(ob, "ACTIVE")
        rubber(ob, BALL_ELEMENT if is_ball else RING_ELEMENT)
    for i in range(JACKS):
        ob = stage.new_object(scene, f"Jack {i}", jack, stage.SAND)
        ob.location = (*rng.uniform(-0.1, 0.1, 2), height + 0.1 + 0.2 * i)
        ob.rotation_euler = rng.uniform(-3.0, 3.0, 3)
        stage.body(ob, "ACTIVE")
    stage.add_camera_and_light(scene)


def rubber(ob, element_size):
    """Make a body of rubber."""
    elastic = ob.stiction.elastic
    elastic.use, elastic.young, elastic.poisson, elastic.damping = True, YOUNG, POISSON, DAMPING
    elastic.element_size = element_size
    ob.stiction.density, ob.stiction.friction = DENSITY, FRICTION
