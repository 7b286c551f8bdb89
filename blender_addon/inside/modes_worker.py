"""The modes of a body in their own process. Exit code 0: done; 2: refused, the reason on stderr."""

import sys

import numpy as np


def main(source, target):
    """source: a scene file of one deformable body with a reduction; target: .npz with its nodes `rest` (n,3) [m],
    `tets` (T,4), their middle nodes `middle` (T,6 or 0), and of each mode, the lowest first, `shape` (n,3,r) and its
    `frequency` and `decay` (r,), see `ringing`."""
    from ...solver.base.refusal import SceneError
    from ...solver.model import compile_scene
    from ...solver.scene_io.scene_file import load_scene

    try:
        scene = load_scene(source)
        body = compile_scene(scene)[0].elastic[0]
    except (SceneError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    count, shape = scene.bodies[0].elastic.reduction.modes, body.reduced
    stiffness = np.diag(shape.law.stiffness(np.zeros(len(shape.damping))))
    frequency, decay = ringing(stiffness[:count], shape.damping[:count])
    np.savez(target, rest=body.rest, tets=body.elements[:, :4], middle=body.elements[:, 4:],
             shape=shape.U[:, :, :count], frequency=frequency, decay=decay)  # fmt: skip
    return 0


def ringing(squares, damping):
    """(frequency [Hz], time [s] until a thousandth of a swing is left) (r,) of q'' + damping q' + squares q = 0; the
    frequency is 0 where it does not swing, the time infinite where nothing damps."""
    half = 0.5 * np.asarray(damping, dtype=float)
    left = squares - half**2
    rate = half - np.sqrt(np.maximum(-left, 0.0))
    with np.errstate(divide="ignore"):
        return np.sqrt(np.maximum(left, 0.0)) / (2.0 * np.pi), np.log(1e3) / rate
