"""Redo pictures of runs of NNCG 2010 and Staggered Projections 2008; draws into docs/images.

Run from the checkout: python tools/paper_scenes.py [NAME ...]. Figures go to the terminal.
"""

from dataclasses import replace
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from figures import draw
from matplotlib.collections import PolyCollection

from stiction.solver import methods
from stiction.solver.dynamics import rotation
from stiction.solver.methods.method_options import NncgOptions
from stiction.solver.scene import Motion
from stiction.solver.scenes import build
from stiction.solver.shapes import Box
from stiction.solver.simulation import compiled, options_for, simulate, step_settings, stepper

CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))
FACES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
# Of the drawings: right, up and towards the eye.
VIEW = np.array([[0.94, 0.34, 0.0], [-0.1, 0.28, 0.955], [0.32, -0.9, 0.3]])
FRAME_ITERATIONS = 500  # of NNCG, as in its Figure 7
PAPER_GRADIENT = 4.62e-3
WALL_TIME = 2.5
REST_TIME = 2.4  # until the default has the toppled wall at rest
REST_STEPS = 80


def solids(scene, positions, orientations):
    """Corners (8,3) [m] and colour number of every box and hull of eight corners that is not the floor."""
    turns = rotation.matrix(orientations)
    for i, body in enumerate(scene.bodies):
        if body.name == "floor":
            continue
        if isinstance(body.shape, Box):
            corners = CORNERS * body.shape.size
        else:
            corners = np.asarray(body.shape.vertices)[[0, 3, 4, 7, 1, 2, 5, 6]]
        moved = body.motion is Motion.DYNAMIC
        yield corners @ turns[i].T + positions[i], 0 if moved else 1


def drawn(axis, scene, positions, orientations, title):
    """Draw the bodies with their frames at positions (R,3) and orientations (R,4), far faces first."""
    faces, depth, shade = [], [], []
    for corners, kind in solids(scene, positions, orientations):
        for k in FACES:
            face = corners[list(k)]
            n = np.cross(face[1] - face[0], face[2] - face[1])
            n *= np.sign(n @ (face.mean(axis=0) - corners.mean(axis=0))) / np.linalg.norm(n)
            if n @ VIEW[2] > 0.0:
                light = 0.45 + 0.5 * max(0.0, n @ (0.45, -0.5, 0.74))
                faces.append(face @ VIEW[:2].T)
                depth.append(corners.mean(axis=0) @ VIEW[2])
                shade.append(light * np.array(((0.85, 0.66, 0.42), (0.6, 0.65, 0.7))[kind]))
    order = np.argsort(depth, kind="stable")
    axis.add_collection(PolyCollection([faces[k] for k in order], facecolors=[shade[k] for k in order], edgecolors="k",
                                       linewidths=0.3))  # fmt: skip
    axis.set_aspect("equal")
    axis.autoscale_view()
    axis.set_title(title, fontsize=9)
    axis.axis("off")


def nncg_run(scene, time, each=None, first=None, **changes):
    """Model and State after every step of 10 ms, none divided; each(impulses) is called after it.

    It goes on from the State `first` where one is given.
    """
    options = options_for(scene, time=time, time_step=0.01, substeps=1)
    model, state = compiled(scene, options)
    settings, advance = replace(step_settings(options, model, state), **changes), stepper(options)
    state = first or state
    kept = [state]
    for _ in range(round(time / 0.01)):
        reached = kept[-1].time + 0.01
        state, _, impulses = advance(model, state, settings)
        state.time = reached
        kept.append(state)
        if each:
            each(impulses)
    return model, kept


def out_of_place(kept, far):
    """How many bricks moved in a run further than `far` [m] from where the wall as a whole did."""
    moved = kept[-1].position[1:] - kept[0].position[1:]
    return int((np.linalg.norm(moved - np.median(moved, axis=0), axis=1) > far).sum())


def left_by_nncg(scene, time, first=None):
    """Model, States, and of every step what 500 iterations of NNCG leave of the gradient [N s] and the rows."""
    last, left, rows = [], [], []
    method = NncgOptions(friction="box", stopping="paper", max_iterations=FRAME_ITERATIONS, merit_tolerance=1e-9)
    once = replace(method, max_iterations=1, record_history=True)

    def gradient(impulses):
        problem = last[-1]
        del last[:]
        start = np.concatenate([line[:m] for line, m in zip(impulses, np.diff(problem.row_start), strict=True)])
        history = methods.solve(problem, start, "nncg", once, brief=True).history
        left.append(np.sqrt(history[0]) if len(history) else np.nan)
        rows.append(problem.row_count)

    model, kept = nncg_run(scene, time, gradient, first, method="nncg", method_options=method, accuracy=0.0,
                           acceptable=0.0, record=last.append)  # fmt: skip
    return model, kept, left, rows


def nncg_wall():
    """Figure 7 of the 2010 paper: a wall that falls, 500 iterations of NNCG a frame, and the gradient they leave."""
    scene = build("nncg_wall")
    model, kept, left, rows = left_by_nncg(scene, WALL_TIME)
    times = [state.time for state in kept[1:]]
    print(f"rows of a step in the mean {np.mean([r for r in rows if r]):.0f}; |grad f| at the end {left[-1]:.2e} N s, "
          f"{left[-1] / model.mass[1]:.2e} of a brick's mass times 1 m/s; bricks out of place "
          f"{out_of_place(kept, 0.1)}")  # fmt: skip
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
    drawn(axes[0], scene, kept[70].position, kept[70].orientation, "0.7 s: the shock")
    drawn(axes[1], scene, kept[-1].position, kept[-1].orientation, f"{WALL_TIME:g} s")
    axes[2].semilogy(times, left, label="here")
    axes[2].axhline(PAPER_GRADIENT, color="C3", linestyle="--", label="paper, frame at rest")
    axes[2].set(xlabel="time [s]", ylabel="|grad f| after 500 iterations [N s]")
    axes[2].legend()
    return figure


def nncg_rest():
    """The same figure of a frame at rest: the default lets the wall fall and settle, then NNCG takes over."""
    scene = build("nncg_wall")
    _, settled = nncg_run(scene, REST_TIME)
    _, kept, left, rows = left_by_nncg(scene, REST_STEPS / 100, settled[-1])
    moved = np.linalg.norm(kept[-1].position - kept[0].position, axis=1).max()
    print(f"at rest from {REST_TIME:g} s on, {rows[-1]} rows: |grad f| {left[3]:.1e} N s after 4 steps, "
          f"{left[19]:.1e} after 20, {left[-1]:.1e} after {REST_STEPS}; "
          f"nothing moves by more than {1e3 * moved:.2g} mm")  # fmt: skip
    figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
    axis.semilogy(np.arange(1, len(left) + 1), left, label="here")
    axis.axhline(PAPER_GRADIENT, color="C3", linestyle="--", label="paper, frame at rest")
    axis.set(xlabel="steps of NNCG from rest", ylabel="|grad f| after 500 iterations [N s]")
    axis.legend()
    return figure


def card_house():
    """Figure 7 of the 2008 paper: blocks dropped on a card house one by one take parts of it down."""
    scene = build("cardhouse_blocks")
    run = simulate(scene, options_for(scene, time=12.0, time_step=0.01))
    cards = [i for i, body in enumerate(scene.bodies) if body.name[0] in "cd"]
    for t in (1.0, 2.5, 4.0, 5.5, 7.0, 8.5, 10.0, 12.0):
        at = round(t / 0.01)
        down = (np.linalg.norm(run.positions[at, cards] - run.positions[0, cards], axis=1) > 0.3).sum()
        speed = np.linalg.norm(run.velocities[at, cards], axis=1).max()
        print(f"{t:5.1f} s: {down} of {len(cards)} cards down, fastest {speed:.1e} m/s")
    return strip(scene, run, (0.0, 5.4, 9.2, 12.0))


def log_house():
    """Section 8.2 and Table 2 of the 2008 paper: a log house slides, jumps a ramp and collides."""
    scene = build("log_house_jump")
    return strip(scene, simulate(scene, options_for(scene, time=4.0, time_step=0.01)), (0.0, 1.0, 1.6, 4.0), 2)


def strip(scene, run, times, rows=1):
    """A figure of the bodies at some times [s] of a Trajectory; prints what its steps were like."""
    steps = run.steps
    print(f"{steps['contact_count'].mean():.0f} contacts a step, solver {1e3 * steps['solve_s'].mean():.1f} ms a step; "
          f"steps not accepted {(~steps['converged'].astype(bool)).sum()} of {len(steps['converged'])}")  # fmt: skip
    figure, axes = plt.subplots(rows, len(times) // rows, figsize=(16 / rows, 4.5), layout="constrained")
    for axis, t in zip(axes.flat, times, strict=True):
        at = round(t / 0.01)
        drawn(axis, scene, run.positions[at], run.orientations[at], f"{t:g} s")
    low = np.min([axis.dataLim.min for axis in axes.flat], axis=0)
    high = np.max([axis.dataLim.max for axis in axes.flat], axis=0)
    for axis in axes.flat:
        axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return figure


FIGURES = {"nncg-wall": nncg_wall, "nncg-rest": nncg_rest, "card-house": card_house, "log-house": log_house}


if __name__ == "__main__":
    draw(FIGURES, "paper")
