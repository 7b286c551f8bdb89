"""How cost and memory grow with the number of bodies, and 10^6 contacts in one problem.

    python benchmarks/bench_scale.py poured [--shapes sphere box] [--counts 1000 10000 100000] [--seconds 0.5]
    python benchmarks/bench_scale.py packed [--contacts 1000000] [--tolerance 1e-3] [--threads 2]

poured: bodies of 0.1 m fall into a square box, ten layers whatever their number, so that a body's neighbours are the
same; default settings at 10 ms, one thread, each size in a process of its own. Printed: CPU a body and step, of the
last half of the steps too, memory of the process, and the exponent by which the cost grows from size to size (1 is
linear).

packed: a bed of spheres that was poured so is copied periodically, next to each other, until there are that many
contacts in one island on one floor between four walls; solved from no impulses to a residual of `tolerance` [m/s],
which is to take less than 10 s on two cores. What the search for contacts costs is not in it.
"""

import argparse
import json
import math
import resource
import subprocess
import sys
import time

import numpy as np
from scipy.spatial import cKDTree

from stiction.solver import methods
from stiction.solver.dynamics.contact_rows import contact_rows, rigid_inverse_mass
from stiction.solver.methods.method_options import AcceleratedOptions
from stiction.solver.problem import Block, assemble
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes.base import one_material
from stiction.solver.shapes import Box, Sphere
from stiction.solver.simulation import options_for, simulate

SIZE, LAYERS, SPACING, THICK = 0.1, 10, 1.15, 0.2
STEP, GRAVITY, FRICTION, DENSITY = 0.01, 9.81, 0.5, 1000.0
# A contact is one whose gap is below this part of a sphere's size; the copies of a bed stand this much closer than the
# bed is wide, or no sphere would touch one of the next copy.
NEAR, CLOSER, BED_TIME = 0.005, 0.1, 0.7


def box_of(width):
    """A floor and four walls of a square box, inside from 0 to width [m]."""
    height, mid, out = 2 * LAYERS * SIZE, 0.5 * width, 0.5 * THICK
    places = {
        "floor": ((width + 2 * THICK, width + 2 * THICK, THICK), (mid, mid, -out)),
        "left": ((THICK, width, height), (-out, mid, 0.5 * height)),
        "right": ((THICK, width, height), (width + out, mid, 0.5 * height)),
        "front": ((width, THICK, height), (mid, -out, 0.5 * height)),
        "back": ((width, THICK, height), (mid, width + out, 0.5 * height)),
    }
    return [Body(name, Box(size), motion=Motion.STATIC, position=at) for name, (size, at) in places.items()]


def poured(shape, count):
    """Scene of `count` bodies on a loose lattice, shaken, above the floor of a box."""
    side = max(2, round(math.sqrt(count / LAYERS)))
    rng, pitch = np.random.default_rng(0), SPACING * SIZE
    form = Sphere(0.5 * SIZE) if shape == "sphere" else Box((0.58 * SIZE,) * 3)
    grid = np.stack(np.meshgrid(range(side), range(side), range(math.ceil(count / side**2)), indexing="ij"), axis=-1)
    grid = grid.reshape(-1, 3)[np.argsort(grid.reshape(-1, 3)[:, 2], kind="stable")][:count]
    places = pitch * (grid + 0.5) + rng.uniform(-0.06, 0.06, (count, 3)) * SIZE
    turns = rng.normal(size=(count, 4)) if shape == "box" else np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    bodies = [
        Body(f"b{i}", form, position=tuple(place), orientation=tuple(turn))
        for i, (place, turn) in enumerate(zip(places.tolist(), turns.tolist(), strict=True))
    ]
    return Scene((*box_of(side * pitch), *bodies), one_material(FRICTION), name=f"poured_{shape}")


def measured(shape, count, seconds):
    """Run one size in this process; prints a JSON line."""
    start = time.process_time()
    scene = poured(shape, count)
    simulate(scene, options_for(scene, time=1.5 * STEP, time_step=STEP, threads=1))
    made, stamps, contacts = time.process_time() - start, [time.process_time()], []

    def progress(done, total, report):
        stamps.append(time.process_time())
        contacts.append(report.contact_count)

    run = simulate(scene, options_for(scene, time=seconds, time_step=STEP, threads=1), progress=progress)
    steps = np.diff(stamps)[1:]
    print(json.dumps({
        "count": count, "all": run.header["cpu_s"] / len(contacts) / count,
        "late": float(np.mean(steps[len(steps) // 2 :])) / count, "contacts": max(contacts),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "made": made,
        "refused": int(np.sum(np.asarray(run.steps["converged"]) == 0)), "overlap": float(np.max(run.steps["overlap"])),
    }))  # fmt: skip


def poured_table(shapes, counts, seconds):
    """A line a size."""
    for shape in shapes:
        before = None
        for count in counts:
            command = [sys.executable, __file__, "one", shape, str(count), str(seconds)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(done.stderr[-2000:])
            found = json.loads(done.stdout.splitlines()[-1])
            growth = ""
            if before:
                ratio = found["late"] * count / (before["late"] * before["count"])
                growth = f", grows with exponent {math.log(ratio) / math.log(count / before['count']):.2f}"
            print(f"{shape:7} {count:7d} bodies: {1e6 * found['all']:6.1f} us a body and step, late"
                  f" {1e6 * found['late']:6.1f}{growth}; contacts {found['contacts']}, memory {found['memory']:.0f} MB,"
                  f" not accepted {found['refused']}, overlap {1e3 * found['overlap']:.3f} mm;"
                  f" first steps with set-up {found['made']:.0f} s", flush=True)  # fmt: skip
            before = found


def packed_bed(contact_count):
    """(centres (n,3) [m], width [m]) of spheres in a box with about that many contacts: copies of a poured bed."""
    scene = poured("sphere", 1000)
    run = simulate(scene, options_for(scene, time=BED_TIME, time_step=STEP, accuracy=1e-3))
    free = np.array([name.startswith("b") and name != "back" for name in run.names])
    tile = run.positions[-1][free]
    width = math.sqrt(1000 / LAYERS) * SPACING * SIZE
    per_tile = len(touching(tile)) + len(tile) / LAYERS
    copies = max(1, round(math.sqrt(contact_count / per_tile)))
    pitch = width - CLOSER * SIZE
    shifts = [(pitch * i, pitch * j, 0.0) for i in range(copies) for j in range(copies)]
    return np.concatenate([tile + shift for shift in shifts]), pitch * (copies - 1) + width


def touching(center):
    """Pairs (P,2) of spheres that touch."""
    return cKDTree(center).query_pairs((1.0 + NEAR) * SIZE, output_type="ndarray")


def packed_problem(contact_count):
    """The ContactProblem of one step of a packed bed."""
    center, width = packed_bed(contact_count)
    pairs, count = touching(center), len(center)
    a, b = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].astype(np.int64).T
    distance = np.linalg.norm(center[b] - center[a], axis=1)
    ends, normals = [(a, b)], [(center[b] - center[a]) / distance[:, None]]
    points, gaps = [0.5 * (center[a] + center[b])], [distance - SIZE]
    wall = count  # one body more, which does not move: floor and walls
    for axis, at, sign in ((2, 0.0, 1.0), (0, 0.0, 1.0), (0, width, -1.0), (1, 0.0, 1.0), (1, width, -1.0)):
        gap = sign * (center[:, axis] - at) - 0.5 * SIZE
        near = np.flatnonzero(gap < NEAR * SIZE)
        normal = np.zeros((len(near), 3))
        normal[:, axis] = -sign
        ends.append((near, np.full(len(near), wall)))
        normals.append(normal)
        points.append(center[near] + 0.5 * SIZE * normal)
        gaps.append(gap[near])
    a, b = (np.concatenate([pair[k] for pair in ends]) for k in range(2))
    normal, point, gap = np.concatenate(normals), np.concatenate(points), np.concatenate(gaps)
    s = np.cross(normal, np.array([0.36, 0.48, 0.8]))
    s /= np.linalg.norm(s, axis=1, keepdims=True)
    frame = np.ascontiguousarray(np.stack([normal, s, np.cross(normal, s)], axis=1))
    mass = DENSITY * math.pi / 6 * SIZE**3
    moves = np.append(np.ones(count), 0.0)
    inverse, inertia = moves / mass, np.tile(0.1 * mass * SIZE**2 * np.eye(3), (count + 1, 1, 1))
    inverse_inertia = moves[:, None, None] * np.linalg.inv(inertia)
    center = np.vstack([center, np.zeros(3)])
    J, G, _ = contact_rows(a, b, point, frame, np.full(len(a), 3), center, inverse, inverse_inertia)
    W = rigid_inverse_mass(inverse, inverse_inertia, np.full(count + 1, mass), inertia)
    free = np.where(moves[:, None] > 0, [0.0, 0.0, -GRAVITY * STEP], 0.0)
    v = np.einsum("cij,cj->ci", frame, free[b] - free[a])
    v[:, 0] += np.maximum(gap, 0.0) / STEP
    return assemble(np.full(len(a), int(Block.CONTACT)), 3 * np.arange(len(a) + 1), J, G, v.ravel(),
                    np.tile([FRICTION, FRICTION, 0.0], (len(a), 1)), 6 * count, inverse_mass=W, name="packed bed")


def packed(contact_count, tolerance, threads):
    """Solve and print."""
    methods.solve(packed_problem(2000), options=AcceleratedOptions(tolerance=tolerance, threads=threads), brief=True)
    problem = packed_problem(contact_count)
    options = AcceleratedOptions(tolerance=tolerance, threads=threads, max_iterations=100_000)
    report = methods.solve(problem, options=options, brief=True)
    each = 1e9 * report.cpu_s / report.iterations / problem.contact_count
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{problem.contact_count} contacts to {tolerance:g} m/s with {threads} threads: {report.status}, residual"
          f" {report.residual:.2e} m/s, {report.iterations} sweeps, wall {report.wall_s:.1f} s, CPU {report.cpu_s:.1f}"
          f" s, {each:.0f} ns a contact and sweep; memory {memory:.0f} MB", flush=True)  # fmt: skip


def main():
    """What the command line asks for."""
    if sys.argv[1:2] == ["one"]:
        measured(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("poured", "packed"))
    parser.add_argument("--shapes", nargs="+", default=["sphere", "box"], choices=("sphere", "box"))
    parser.add_argument("--counts", nargs="+", type=int, default=[1000, 10_000, 100_000])
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--contacts", type=int, default=1_000_000)
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    if given.what == "poured":
        poured_table(given.shapes, given.counts, given.seconds)
    else:
        packed(given.contacts, given.tolerance, given.threads)


if __name__ == "__main__":
    main()
