"""CPU per simulated second of the structures, beside Blender's own Bullet (bpy) and MuJoCo on the same scene.

Ours runs with the default settings at a 10 ms step. Bullet runs twice in the same run: as Blender ships it (24 frames
a second, 10 substeps, 10 iterations, its damping and deactivation on), and at 1000 Hz with 100 iterations, no
margin and no damping (bullet_peer.py). MuJoCo runs as it ships and stiff at 1 ms (mujoco_peer.py). "stands": no
body's centre moved by more than 30 % of its size. Of the slopes ("incline") the creep at 0.99 of the critical angle and
the friction felt at 1.5 are given, of the dropped stack ("drop10") the error of the heights at rest.
"""

import importlib
import sys
from math import atan, cos, tan

import mujoco_peer
import numpy as np
from bullet_peer import FINE, SHIPPED, bullet

from stiction.solver.model import compile_scene
from stiction.solver.scene import Motion
from stiction.solver.scenes import SCENES
from stiction.solver.scenes.single import INCLINE_RATIOS
from stiction.solver.simulation import options_for, simulate

SCENE_NAMES = (
    "stack10", "drop10", "heavy100", "heavy4096", "cardhouse3", "arch20", "arch20thin", "wall85", "incline",
)  # fmt: skip
SECONDS = 5.0
BULLET = {"Bullet, as shipped": SHIPPED, "Bullet, 1000 Hz": FINE}


def ours(scene):
    """(CPU s per simulated s, times (F,), centres of mass (F,R,3) [m])."""
    run = simulate(scene, options_for(scene, time=seconds(scene)))
    return run.header["cpu_s"] / seconds(scene), run.times, run.center_of_mass


def seconds(scene):
    """How long a scene is run: blocks that slide must not reach the end of their slope."""
    return 1.5 if scene.name == "incline" else SECONDS


def bullet_centers(bpy, scene, settings):
    """The same three from Blender's rigid bodies."""
    cpu, times, pose = bullet(bpy, scene, seconds(scene), settings)
    model, _ = compile_scene(scene)
    return cpu, times, pose[..., :3, 3] + np.einsum("fbij,bj->fbi", pose[..., :3, :3], model.center_of_mass)


def figures(name, times, center, scene, size):
    """What the scene is about, in words; center (F,R,3) of the centres of mass, size (R,) [m]."""
    if name == "incline":
        names = [body.name for body in scene.bodies]
        return "; ".join(
            f"plan {45 * plan}: creep {1e6 * speed(times, center[:, names.index(f'box{plan}_{slow}')], 1.0):.3g} um/s, "
            f"mu felt {friction_felt(times, center[:, names.index(f'box{plan}_{fast}')], INCLINE_RATIOS[fast]):.4g}"
            for plan in (0, 1)
            for slow, fast in [(INCLINE_RATIOS.index(0.99), INCLINE_RATIOS.index(1.5))]
        )
    moving = np.array([body.motion == Motion.DYNAMIC for body in scene.bodies])
    moved = np.linalg.norm(center[:, moving] - center[0, moving], axis=2).max(axis=0)
    if name == "drop10":
        heights = 0.25 + 0.5 * np.arange(10)
        return f"heights off by {1e3 * np.abs(center[-1, moving, 2] - heights).max():.3g} mm"
    verdict = "stands" if np.all(moved < 0.3 * size[moving]) else "falls"
    return f"moved {1e3 * moved.max():.3g} mm, {verdict}"


def speed(times, path, start):
    """Mean speed [m/s] of a body from `start` [s] to the end."""
    first = int(np.searchsorted(times, start - 1e-6))
    return float(np.linalg.norm(path[-1] - path[first]) / (times[-1] - times[first]))


def friction_felt(times, path, ratio):
    """Coefficient of a block that slides down a slope of tan = ratio * 0.5: (tan - a/(g cos))."""
    slope = atan(0.5 * ratio)
    first, middle = (int(np.searchsorted(times, t - 1e-6)) for t in (0.5, 1.0))
    gain = np.linalg.norm(path[-1] - path[middle]) / (times[-1] - times[middle])
    gain -= np.linalg.norm(path[middle] - path[first]) / (times[middle] - times[first])
    between = 0.5 * (times[-1] + times[middle]) - 0.5 * (times[middle] + times[first])
    return tan(slope) - gain / between / (9.81 * cos(slope))


def optional(module, what):
    """The module, or None after saying on stderr why it is left out."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        print(f"{what} is left out: {error}", file=sys.stderr)
        return None


def main():
    """Print a row a scene and engine; a peer that is not installed is left out with a reason."""
    bpy, mujoco = optional("bpy", "Blender's Bullet"), optional("mujoco", "MuJoCo")
    for name in sys.argv[1:] or SCENE_NAMES:
        scene = SCENES[name].build()
        size = compile_scene(scene)[0].size
        runs = {"Stiction, default": lambda scene=scene: ours(scene)}
        if bpy is not None:
            runs |= {who: lambda s=s, scene=scene: bullet_centers(bpy, scene, s) for who, s in BULLET.items()}
        if mujoco is not None:
            runs |= {
                who: lambda s=s, scene=scene: mujoco_peer.run(mujoco, scene, s, seconds(scene))
                for who, s in mujoco_peer.SETTINGS.items()
            }
        for who, measured in runs.items():
            cpu, times, center = measured()
            print(f"{name:12} {who:20} {1e3 * cpu:10.1f} ms/s  {figures(name, times, center, scene, size)}", flush=True)


if __name__ == "__main__":
    main()
