"""Deformable bodies, single thread: cost of a linearisation, a soft cube on a slope beside MuJoCo and PyBullet, a run.

python benchmarks/bench_soft.py [linearisation] [embedding] [slope] [run], all four without a word. A cube of n^3 cells
of 5 tetrahedra lies on the floor [ms CPU]; 100,000 vertices of a mesh follow 5,000 tetrahedra [ms CPU a frame]; a cube
on a slope of 30 degrees should slide with g (sin - mu cos) or stick; a run of 250 frames of a cube of 5,000 tetrahedra
that falls and rests [s]. Peers that are not installed are left out, with a line that says so: pip install -e ".[bench]"
has them.
"""

import importlib.util
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from soft_peers import PEERS

from stiction.solver.dynamics.cholesky import Factor
from stiction.solver.dynamics.elastic.deformable import deformable
from stiction.solver.dynamics.elastic.elements import with_middle_nodes
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.scenes import build
from stiction.solver.simulation import compiled, options_for, simulate, step_settings, stepper

SECONDS, YOUNG = 0.6, 1e6
# When waves of an elastic cube that was put on a slope have died, so that what still moves creeps [s].
LATE = 2.0


def timed(function):
    """(CPU time [ms], value) of a call, the best of three."""
    best, value = np.inf, None
    for _ in range(3):
        start = time.process_time()
        value = function()
        best = min(best, time.process_time() - start)
    return 1e3 * best, value


def linearisation():
    """Assembly, factor, condensed matrix and solve of cubes of 625 to 20,480 tetrahedra, and one whole of them."""
    print("tets   nodes  touching  assembly  factor  condensed  solve    all  [ms CPU]")
    for cells in (5, 10, 16):
        vertices, tets = box_grid((cells,) * 3, (0.2,) * 3)
        body = deformable(vertices, tets, 1e6, 0.4, 1000.0)
        x, none = body.rest * [1.02, 0.99, 0.97], np.zeros(len(vertices), dtype=bool)
        touching = np.flatnonzero(body.rest[:, 2] < -0.0999)
        factor = Factor(body.symbolic)
        assembly, force = timed(lambda body=body, x=x: body.forces(x, body.blocks))
        factoring, _ = timed(lambda f=factor, b=body, n=none: f.refactor(b.blocks, 1e-4, b.mass, n))
        condensed, _ = timed(lambda f=factor, t=touching: f.condensed(t))
        solve, _ = timed(lambda f=factor, r=force: f.solve(r))
        # Two solves: without impulses, and by them.
        whole = assembly + factoring + condensed + 2 * solve
        print(f"{len(tets):5} {len(vertices):6} {len(touching):9} {assembly:9.1f} {factoring:7.1f} {condensed:10.1f} "
              f"{solve:6.1f} {whole:6.1f}")  # fmt: skip


def embedding():
    """Time of a frame of 100,000 vertices in linear and in quadratic elements; without Blender there is none."""
    if importlib.util.find_spec("bpy") is None:
        print("\nembedding is left out: bpy is not installed")
        return
    from stiction.blender_addon.deformable.embedding import carried, embed

    vertices, tets = box_grid((10,) * 3, (0.2,) * 3)
    points = np.random.default_rng(0).uniform(-0.1, 0.1, (100_000, 3))
    print()
    for name, (nodes, elements) in {"linear": (vertices, tets), "quadratic": with_middle_nodes(vertices, tets)}.items():
        middle = elements[:, 4:] if elements.shape[1] == 10 else None
        hung = embed(points, nodes, elements[:, :4], middle)
        cost, _ = timed(lambda hung=hung, nodes=nodes: carried(hung, nodes))
        print(f"100,000 vertices in 5,000 {name} elements: {cost:.2f} ms CPU a frame (2)")


def our_slope(friction, young, step, seconds):
    """As the peers' functions, with the default settings of a run."""
    scene = build("soft_incline", friction=friction, young=young)
    options = options_for(scene, time=seconds, time_step=step)
    model, state = compiled(scene, options)
    settings, advance, cpu = step_settings(options, model, state), stepper(options), 0.0
    advance(model, state, settings)
    times, places = [], []
    for k in range(round(seconds / step)):
        start = time.process_time()
        state, _, _ = advance(model, state, settings)
        cpu += time.process_time() - start
        times.append((k + 1) * step)
        places.append(state.position[1, 0])
    return np.array(times), np.array(places), 1e3 * cpu / len(times)


def slope():
    """Acceleration over the last half of 0.6 s, the way in the 0.2 s before 0.6 s and before 2 s where it should stick,
    and CPU of a step."""
    print(f"\nsoft cube on 30 degrees, E {YOUNG:g}      h [ms]  mu .55: a [m/s^2] (want .2324)"
          f"  mu .60: way in 0.2 s before {SECONDS} s, before {LATE} s [mm] (want 0)  ms a step")  # fmt: skip
    there = {name: entry for name, entry in PEERS.items() if importlib.util.find_spec(entry[0])}
    for name in PEERS.keys() - there.keys():
        print(f"{name} is left out: {PEERS[name][0]} is not installed")
    for name, (_, run, steps) in {"Stiction": (None, our_slope, (0.01,)), **there}.items():
        for step in steps:
            times, places, cpu = run(0.55, YOUNG, step, SECONDS)
            late = times > 0.5 * SECONDS
            rate = 2.0 * np.polyfit(times[late], places[late], 2)[0]
            times, places, _ = run(0.6, YOUNG, step, LATE)
            at = np.interp([SECONDS - 0.2, SECONDS, LATE - 0.2, LATE], times, places)
            soon, late = 1e3 * (at[1] - at[0]), 1e3 * (at[3] - at[2])
            print(f"{name:33s} {1e3 * step:7.2f} {rate:26.4f} {soon:44.2e} {late:14.2e} {cpu:10.1f}", flush=True)


def frames():
    """250 frames at 100 Hz of a cube of 5,000 tetrahedra that falls and rests, from the command to the last frame."""
    with tempfile.TemporaryDirectory() as folder:
        scene = build("soft_drop", cells=10)
        wall, cpu = time.perf_counter(), time.process_time()
        done = simulate(scene, options_for(scene, time=2.5), Path(folder) / "run")
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(f"\n{len(done.times) - 1} frames of 5,000 tetrahedra: {wall:.1f} s on the clock (60), {cpu:.1f} s CPU")


PARTS = {"linearisation": linearisation, "embedding": embedding, "slope": slope, "run": frames}


def main():
    """Print the parts that are asked for."""
    unknown = [name for name in sys.argv[1:] if name not in PARTS]
    if unknown:
        print(f"no part {unknown[0]!r}; there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
