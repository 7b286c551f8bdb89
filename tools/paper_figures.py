"""Redo the convergence figures of NNCG 2010 and PROX 2017 on the steps of our scenes; draws into docs/images.

Run from the checkout: python tools/paper_figures.py [NAME ...]. Tables go to the terminal.
"""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
from figures import band, draw

from stiction.solver.methods.method_options import AdaptiveProxOptions
from stiction.solver.results.compare import hardest_problem, measure
from stiction.solver.results.dump import step_problems
from stiction.solver.scenes import SCENES
from stiction.solver.scenes.prox2017 import glasses, jacks, spheres
from stiction.solver.simulation import compiled, options_for, step_settings, stepper

NNCG_SCENES = {"a": "nncg_slope", "b": "nncg_crib", "c": "nncg_stack9", "d": "nncg_gears6", "e": "nncg_gears10",
               "f": "nncg_stack4", "g": "nncg_snake_arch", "h": "nncg_heavy", "i": "nncg_snake_hung"}  # fmt: skip
BODIES = 90  # of the 360 glasses and jacks and the 1728 balls
PROX_SCENES = {
    "Glasses": lambda: glasses(BODIES), "Jacks": lambda: jacks(BODIES), "Spheres": lambda: spheres(BODIES),
    "Tower": SCENES["prox_tower"].build, "Wall": SCENES["prox_wall"].build,
}  # fmt: skip
RUN_BODIES, RUN_LENGTH = 45, 1.5  # of the runs whose every step is solved
LENGTH, EVERY = 3.0, 10  # seconds simulated, steps between two problems
ITERATIONS = 1000
STOP = f":stopping=paper:max_iterations={ITERATIONS}"
STRATEGIES = ("blocked", "global", "local", "scalar")


def nncg():
    """Figures 3, 5 and 6 of the 2010 paper: |grad f|^2 of one step of each configuration, 150 and 5000 sweeps."""
    methods = {"PGS": "pgs", "NNCG": "nncg:friction=box", "NNCG, line search": "nncg:friction=box:line_search=yes"}
    figure, axes = plt.subplots(2, len(NNCG_SCENES), figsize=(23, 6), layout="constrained")
    print("configuration  blocks  rows  rank of A")
    for column, (letter, name) in zip(axes.T, NNCG_SCENES.items(), strict=True):
        scene = SCENES[name].build()
        problem = hardest_problem(scene, options_for(scene, time=0.1))
        values = np.linalg.eigvalsh(problem.delassus())
        rank = int(np.count_nonzero(values > 1e-9 * values.max()))
        print(f"({letter}) {name:12} {problem.block_count:5d} {problem.row_count:5d} {rank:5d}")
        for label, text in methods.items():
            curve = measure(problem, text, cuts=False, tolerance=0.0, max_iterations=5000, time_limit=60.0)
            for axis, shown in zip(column, (150, 5000), strict=True):
                merit = np.maximum(curve.merit[:shown], 1e-30)
                axis.semilogy(range(1, len(merit) + 1), merit, label=label, linewidth=0.9)
        column[0].set_title(f"({letter}) {name}", fontsize=9)
        column[1].set_xlabel("iteration")
    for axis in axes[:, 0]:
        axis.set_ylabel("|grad f|^2 [N^2 s^2]")
    axes[0, 0].legend(fontsize=7)
    return figure


def prox_problems(name):
    """ContactProblems of every EVERYth step of one of the 2017 scenes."""
    scene = PROX_SCENES[name]()
    return [problem for _, problem in step_problems(scene, options_for(scene, time=LENGTH), EVERY)]


def solved(problems, text):
    """Curve of one method on each problem, without the judge's cut-off solves."""
    return [measure(problem, text + STOP, cuts=False, time_limit=60.0) for problem in problems]


def how_it_ended(curve):
    """The three ends of the paper: the merit fell below 1e-3, it changed by less than 1e-3 of itself, or neither."""
    if not curve.merit or curve.merit[-1] <= 1e-3:
        return "absolute"
    return "relative" if curve.iterations < ITERATIONS else "neither"


def drawn(axis, curves, color, label):
    """Band of the curves' merits."""
    band(axis, [curve.merit for curve in curves if curve.merit], ITERATIONS, color, label)


def ends_table(title, curves_of):
    """Print how the solves of each (scene, method) ended, their median iterations, divergences and the judge's word."""
    print(f"{title}\n{'scene':9} {'method':13} solves  absolute relative neither  iterations  divergences  judge [m/s]")
    for (scene, label), curves in curves_of.items():
        ends = [how_it_ended(curve) for curve in curves]
        counts = [ends.count(end) for end in ("absolute", "relative", "neither")]
        middle = [np.median([getattr(c, name) for c in curves]) for name in ("iterations", "growths", "residual")]
        print(f"{scene:9} {label:13} {len(curves):6d}  {counts[0]:8d} {counts[1]:8d} {counts[2]:7d}  "
              f"{middle[0]:10.0f}  {middle[1]:11.0f}  {middle[2]:11.1e}")  # fmt: skip


def prox_strategies():
    """Figure 4 of the 2017 paper: quartiles of Jacks for each strategy, and how the solves of five scenes end."""
    curves_of = {}
    for scene in PROX_SCENES:
        problems = prox_problems(scene)
        for name in STRATEGIES:
            curves_of[scene, name] = solved(problems, f"prox_literal:strategy={name}")
    ends_table("r-factor strategies", curves_of)
    figure, axes = plt.subplots(2, len(STRATEGIES), figsize=(14, 6), layout="constrained")
    for i, name in enumerate(STRATEGIES):
        drawn(axes[0, i], curves_of["Jacks", name], f"C{i}", "Jacks")
        axes[0, i].set_title(name)
        ends = [[how_it_ended(c) for c in curves_of[scene, name]] for scene in PROX_SCENES]
        below = np.zeros(len(PROX_SCENES))
        for end, color in (("absolute", "tab:green"), ("relative", "tab:orange"), ("neither", "tab:red")):
            share = np.array([each.count(end) / max(len(each), 1) for each in ends])
            axes[1, i].bar(list(PROX_SCENES), share, bottom=below, color=color, label=end)
            below += share
    axes[0, 0].set_ylabel("merit")
    axes[1, 0].set_ylabel("share of solves")
    handles, labels = axes[1, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=8)
    return figure


def prox_schemes():
    """Figures 8 and 9 of the 2017 paper: Gauss-Seidel and Jacobi on Jacks and Spheres, and how often each diverged."""
    schemes = {"Gauss-Seidel": "prox_literal:strategy=local", "Jacobi": "jacobi:strategy=local"}
    curves_of = {}
    for scene in ("Jacks", "Spheres"):
        problems = prox_problems(scene)
        for label, text in schemes.items():
            curves_of[scene, label] = solved(problems, text)
    ends_table("Gauss-Seidel and Jacobi", curves_of)
    figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained")
    for row, scene in zip(axes, ("Jacks", "Spheres"), strict=True):
        most = max(c.growths for label in schemes for c in curves_of[scene, label])
        for i, label in enumerate(schemes):
            drawn(row[0], curves_of[scene, label], f"C{i}", label)
            counts = [c.growths for c in curves_of[scene, label]]
            row[1].hist(counts, bins=np.linspace(0, most + 1, 20), color=f"C{i}", alpha=0.6, label=label)
        row[0].set(title=scene, ylabel="merit")
        row[1].set(title=scene, xlabel="divergences in a solve", ylabel="solves")
        row[0].legend(fontsize=7)
    return figure


def run_of(scene, strategy):
    """StepReports of a run of a 2017 scene whose every step is solved by the paper's method and stop."""
    options = options_for(scene, time=RUN_LENGTH)
    model, state = compiled(scene, options)
    method = AdaptiveProxOptions(strategy=strategy, max_iterations=ITERATIONS)
    settings = replace(step_settings(options, model, state), method="prox_literal", method_options=method, accuracy=0.0)
    advance, reports = stepper(options), []
    for _ in range(int(RUN_LENGTH / options.time_step)):
        state, report, _ = advance(model, state, settings)
        reports.append(report)
    return reports


def prox_runs():
    """Figures 5, 6 and 7 of the 2017 paper: solver time a step of Jacks and Spheres, energies of Jacks, by strategy."""
    scenes = {"Jacks": lambda: jacks(RUN_BODIES), "Spheres": lambda: spheres(RUN_BODIES)}
    figure, axes = plt.subplots(2, 2, figsize=(11, 6), layout="constrained")
    print("scene    strategy  solver [s]  iterations a step  kinetic, largest  kinetic at the end [J]")
    for column, (name, build_scene) in enumerate(scenes.items()):
        for i, strategy in enumerate(("blocked", "global", "local")):
            reports = run_of(build_scene(), strategy)
            times, kinetic = [r.time for r in reports], np.array([r.kinetic for r in reports])
            total = kinetic + [r.potential for r in reports]
            axes[0, column].semilogy(times, [max(r.solve_s, 1e-5) for r in reports], color=f"C{i}", label=strategy)
            axes[1, column].plot(times, kinetic, color=f"C{i}", label=f"{strategy}: kinetic")
            axes[1, column].plot(times, total - total[0] + kinetic[0], "--", color=f"C{i}", label="total")
            work = np.mean([r.iterations for r in reports])
            print(f"{name:8} {strategy:8} {sum(r.solve_s for r in reports):10.2f} {work:18.0f} {kinetic.max():17.1f} "
                  f"{kinetic[-1]:17.3f}", flush=True)  # fmt: skip
        axes[0, column].set(title=name, ylabel="solver time of a step [s]", xlabel="time [s]")
        axes[1, column].set(ylabel="energy [J]", xlabel="time [s]")
        axes[1, column].legend(fontsize=6, ncols=3)
    axes[0, 0].legend(fontsize=7)
    return figure


FIGURES = {"prox-runs": prox_runs, "nncg": nncg, "prox-strategies": prox_strategies, "prox-schemes": prox_schemes}


if __name__ == "__main__":
    draw(FIGURES, "paper")
