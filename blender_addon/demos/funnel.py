"""The demo of concave bodies: jacks and chalices pour through a round hopper into a tray."""

import numpy as np

from ...solver.shapes import generators
from . import stage

FRAMES = 126  # 5 s, the first frame included
BODY_COUNT = 140
CHALICES = 50  # of them; the rest are jacks
CHALICE, CHALICE_SEGMENTS = 0.14, 12  # height [m]
SEED = 7

# Profile of the hopper's wall in (radius, height) [m], once around: a steep cone under a short cylinder.
# The outlet is six bodies wide: at four, jacks hook into one another and end in an arch over it.
HOPPER = (
    (0.48, 0.60), (0.80, 1.33), (0.80, 1.62), (0.85, 1.62), (0.85, 1.31), (0.53, 0.58), (0.53, 0.54), (0.48, 0.54),
)  # fmt: skip


def build(scene):
    """A round hopper over a tray of boxes; above it jacks and chalices. Hopper and bodies are concave meshes."""
    surface = generators.lathe(HOPPER[::-1], stage.HOPPER_SEGMENTS, loop=True)
    stage.body(stage.new_object(scene, "Hopper", stage.mesh_of("Hopper", *surface, smooth=30), stage.GLASS), "PASSIVE")
    stage.build_tray(scene)
    jack = stage.mesh_of("Jack", *generators.jack(stage.JACK, stage.BAR))
    chalice = stage.mesh_of("Chalice", *generators.chalice(CHALICE, CHALICE_SEGMENTS), smooth=40)
    rng = np.random.default_rng(SEED)
    kinds = rng.permutation(np.arange(BODY_COUNT) < CHALICES)
    for i, (place, is_chalice) in enumerate(zip(lattice(BODY_COUNT, rng), kinds, strict=True)):
        mesh, color = (chalice, stage.SAND) if is_chalice else (jack, (stage.RUST, stage.TEAL)[i % 2])
        ob = stage.new_object(scene, f"{mesh.name} {i:03d}", mesh, color)
        ob.location, ob.rotation_mode = place, "QUATERNION"
        q = rng.normal(size=4)
        ob.rotation_quaternion = q / np.linalg.norm(q)
        stage.body(ob, "ACTIVE")
    stage.add_camera_and_light(scene)


def lattice(count, rng, columns=6, spacing=0.17, jitter=0.005, bottom=1.60):
    """`count` jittered places (count,3) in layers above the hopper, far enough apart for bodies of any turn."""
    index = np.arange(count)
    layer, cell = np.divmod(index, columns * columns)
    row, column = np.divmod(cell, columns)
    half = 0.5 * (columns - 1)
    grid = np.stack([column - half, row - half, layer], axis=1) * spacing
    return grid + rng.uniform(-jitter, jitter, (count, 3)) + (0, 0, bottom)
