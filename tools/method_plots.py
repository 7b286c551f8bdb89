"""Draw the plots of docs/methods.md into docs/images. Run from the checkout: python tools/method_plots.py [NAME ...]"""

import matplotlib.pyplot as plt
import numpy as np
from figures import ROOT, band, draw

from stiction.solver.results.compare import measure
from stiction.solver.scene_io.problem_file import load_problem

PROBLEMS = ROOT / "tests" / "data" / "contact_problems"
SCENES = ("stack10_t0.5", "stack10_top100_t0.5", "KaplasTower-i1061-4", "slide60_t0.6")

# Iterations go on where the paper's own rule, the default, would stop; Newton in the form that goes furthest.
ON = ":stopping=judge"
NEWTON = "newton:friction_factor=0.5:linear_solver=auto:patience=12:start=warm"


def load(name):
    return load_problem(PROBLEMS / f"{name}.npz")


def merit_panel(axis, problem, methods, iterations):
    """Own merit of each method against iterations; the start of each curve is its first merit."""
    for label, text in methods:
        curve = measure(problem, text, tolerance=0.0, max_iterations=iterations, time_limit=30.0)
        axis.semilogy(range(1, len(curve.merit) + 1), np.maximum(curve.merit, 1e-18), label=label, linewidth=1)
    axis.set(title=problem.name, xlabel="iteration")


def judge_panel(axis, problem, methods, iterations, tolerance=1e-9):
    """The judge's residual against CPU time."""
    for label, text in methods:
        curve = measure(problem, text, tolerance=tolerance, max_iterations=iterations, time_limit=10.0)
        points = np.array(sorted(curve.points, key=lambda point: point[1]))
        best = np.maximum(np.minimum.accumulate(points[:, 2]), 1e-12)
        axis.loglog(1e3 * points[:, 1], best, "o-", label=label, linewidth=1, markersize=2.5)
    axis.set(title=problem.name, xlabel="CPU time [ms]")


def nncg():
    """Figures 3, 5 and 6 of the 2010 paper: |grad f|^2 on dumped steps."""
    methods = [
        ("PGS", "pgs"),
        ("NNCG", "nncg:friction=box"),
        ("NNCG, line search", "nncg:friction=box:line_search=yes"),
        ("NNCG, own law", "nncg"),
    ]
    figure, axes = plt.subplots(1, 4, figsize=(15, 3.4), layout="constrained")
    for axis, name in zip(axes, SCENES, strict=True):
        merit_panel(axis, load(name), methods, 1500)
    axes[0].set_ylabel("|grad f|^2 [N^2 s^2]")
    axes[0].legend(fontsize=7)
    return figure


def relative_band(axis, method, color, label, problems, iterations):
    """Median and quartiles of the merit over problems, each relative to its own first merit."""
    merits = []
    for problem in problems:
        merit = measure(problem, method, cuts=False, tolerance=0.0, max_iterations=iterations, time_limit=10.0).merit
        merits.append([value / max(merit[0], 1e-300) for value in merit])
    band(axis, merits, iterations, color, label)


def prox():
    """Figures 4 and 8 of the 2017 paper, quartiles over dumped steps, and what the merit does not show."""
    names = [path.stem for path in sorted(PROBLEMS.glob("*.npz")) if path.stat().st_size < 200_000]
    problems = [load(name) for name in names]
    figure, axes = plt.subplots(1, 3, figsize=(13, 3.6), layout="constrained")
    strategies = ("scalar", "global", "local", "blocked")
    for i, strategy in enumerate(strategies):
        relative_band(axes[0], f"prox_literal:strategy={strategy}{ON}", f"C{i}", strategy, problems, 500)
    for i, (label, method) in enumerate((("Gauss-Seidel", "prox_literal"), ("Jacobi", "jacobi"))):
        relative_band(axes[1], f"{method}:strategy=scalar{ON}", f"C{i}", label, problems, 500)
    judge_panel(axes[2], load("slide60_t0.6"), [(s, f"prox_literal:strategy={s}{ON}") for s in strategies], 5000)
    axes[0].set(title=f"r-factors, {len(problems)} problems", xlabel="iteration", ylabel="merit / first merit")
    axes[1].set(title="Gauss-Seidel and Jacobi", xlabel="iteration")
    axes[2].set(ylabel="judge's residual [m/s]")
    for axis in axes:
        axis.legend(fontsize=7)
    return figure


def staggered():
    """Relative error (28) against pairs of projections, and time with either solver of the subproblems."""
    figure, axes = plt.subplots(1, 3, figsize=(13, 3.6), layout="constrained")
    long = "staggered:stopping=paper:friction_tolerance=1e-14"
    law = [
        ("disk", long),
        ("polygon, 8", long + ":friction=polygon"),
        ("polygon, 32", long + ":friction=polygon:directions=32"),
    ]
    for axis, name in zip(axes[:2], ("local_problem_test", "slide60_t0.6"), strict=True):
        merit_panel(axis, load(name), law, 60)
    axes[0].set_ylabel("relative error (28)")
    solvers = [("own sweeps", "staggered:subproblems=sweeps"), ("Clarabel", "staggered:subproblems=clarabel")]
    judge_panel(axes[2], load("KaplasTower-i1061-4"), solvers, 16, 1e-7)
    axes[2].set_ylabel("judge's residual [m/s]")
    for axis in (axes[0], axes[2]):
        axis.legend(fontsize=7)
    return figure


def newton():
    """Figures 17 and 18 of the 2019 paper: preconditioners and linear solvers."""
    figure, axes = plt.subplots(1, 4, figsize=(15, 3.4), layout="constrained")
    scaling = [
        (name.replace("_", " "), f"newton:linear_solver=pcr:patience=0:preconditioner={name}")
        for name in ("effective_mass", "constant", "identity")
    ]
    solvers = [
        (name.replace("_", "-"), f"newton:linear_solver={name}:patience=0")
        for name in ("pcr", "pcg", "jacobi", "gauss_seidel", "direct")
    ]
    for axis, name in zip(axes[:2], ("stack10_top100_t0.5", "KaplasTower-i1061-4"), strict=True):
        merit_panel(axis, load(name), scaling, 60)
    for axis, name in zip(axes[2:], ("stack10_top100_t0.5", "KaplasTower-i1061-4"), strict=True):
        merit_panel(axis, load(name), solvers, 60)
    axes[0].set_ylabel("largest |phi| [m/s]")
    axes[0].legend(fontsize=7)
    axes[2].legend(fontsize=7)
    return figure


def judge():
    """All methods on four problems, by the judge."""
    methods = [(name, name) for name in ("default", "accurate", "prox", "pgs", "nncg")]
    methods += [("jacobi", "jacobi:strategy=scalar" + ON), ("newton", NEWTON)]
    methods.append(("staggered", "staggered:subproblems=clarabel"))
    figure, axes = plt.subplots(1, 4, figsize=(15, 3.6), layout="constrained")
    for axis, name in zip(axes, SCENES, strict=True):
        judge_panel(axis, load(name), methods, 4096)
    axes[0].set_ylabel("judge's residual [m/s]")
    axes[0].legend(fontsize=7)
    return figure


PLOTS = {"nncg": nncg, "prox": prox, "staggered": staggered, "newton": newton, "judge": judge}


if __name__ == "__main__":
    draw(PLOTS, "methods")
