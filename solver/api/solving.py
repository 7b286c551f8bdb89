"""solve and compare, as Python calls them: contact problems from files, from scenes, or made in Python."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from .. import methods
from ..base.refusal import ProblemError
from ..methods.base import SolveReport
from ..problem import ContactProblem
from ..results import compare as comparison
from ..runs.warm_up import warm_up_method
from ..scene_io.problem_file import load_problem
from .kinds import path_of


class Solution(NamedTuple):
    """impulse (K,) [N s] in the problem's own row order, normal first in each contact; report: the judge's verdict and
    times, see SolveReport."""

    impulse: np.ndarray
    report: SolveReport


def solve(
    problem: str | PathLike | ContactProblem,
    method: str = "default",
    *,
    impulse: np.ndarray | None = None,
    **options: Any,
) -> Solution:
    """Solve one contact problem, of a file (.npz, FCLIB) or as it is, and return its impulses and the report.

    method: a key of `stiction solve --method`, or "default" or "accurate". impulse (K,) [N s]: where to start, left as
    it is; None for zero. options: those of the method by name, as tolerance [m/s], max_iterations, time_limit [s].
    ProblemError, UnknownMethod, OptionError for what cannot be used.

        impulse, report = st.solve("problem.npz", "accurate", tolerance=1e-8)
    """
    if not isinstance(problem, ContactProblem):
        problem = load_problem(path_of(problem, "the problem to solve", ProblemError))
    entry = methods.get_method(method)
    chosen = entry.options.from_strings(options)
    warm_up_method(entry.key, chosen)
    start = np.zeros(problem.row_count) if impulse is None else np.array(impulse, dtype=float)
    report = methods.solve(problem, start, entry.key, chosen)
    return Solution(start, report)


def compare(
    source: str | PathLike | ContactProblem,
    names: Sequence[str],
    *,
    every: int = 0,
    time: float | None = None,
    output: str | PathLike | None = None,
    **options: Any,
) -> list[comparison.Curve]:
    """Solve the same problems by several methods and return a Curve of each: its residual [m/s] over CPU time [s].

    source: a problem, its file, a folder of such files, or a scene by name or file; of a scene, within its first
    `time` [s], the problem of every `every`-th step, 0 for the one with the most contacts. names: methods, or
    METHOD:OPTION=VALUE. output: folder for compare.csv, compare.json and compare.png. options: tolerance [m/s],
    max_iterations.

        curves = st.compare("drop10", ["prox", "nncg"], time=0.5)
        print([(curve.method, curve.residual, curve.cpu_s) for curve in curves])
    """
    if isinstance(names, str) or not names:
        raise methods.UnknownMethod(f"names is {names!r:.60}; give a list of methods, as ['default', 'accurate']")
    for name in names:
        comparison.method_and_options(name)
    if output is not None:
        comparison.check_target(output)
    problems = [source] if isinstance(source, ContactProblem) else comparison.load_problems(
        path_of(source, "what to compare methods on", ProblemError), every, time)
    curves = comparison.compare(problems, list(names), **options)
    if output is not None:
        comparison.write(curves, output)
    return curves
