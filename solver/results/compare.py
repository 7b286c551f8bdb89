"""Methods side by side: one problem, or a folder of them, or the steps of a scene.

For every method the comparison records its own merit in every iteration, as the papers plot it, and the judge's
residual against CPU time. The merit of one method says nothing about another; the judge does. The residual at n
iterations comes from a fresh solve cut off at n, so that recording costs the method nothing.
"""

import csv
import dataclasses
import io
import json
import math
from pathlib import Path

from .. import methods
from ..base.files import replace_file
from ..methods import solve
from ..problem import ProblemError
from ..scene_io.problem_file import load_problem
from ..simulation import options_for
from .compare_plot import plot_many, plot_one
from .dump import step_problems

TIME_LIMIT = 20.0  # seconds a method and solve
SCENE_TIME = 2.0  # simulated seconds of a scene, unless another time is asked for
FILES = ("compare.csv", "compare.json", "compare.png")
COLUMNS = ("problem", "method", "status", "iterations", "residual", "siconos_error", "cpu_s", "growths", "note")


@dataclasses.dataclass
class Curve:
    """What one method did on one problem.

    merit: its own, one number an iteration; points: (iterations, CPU seconds, judge's residual [m/s]) of solves
    that were cut off; growths: iterations whose merit did not fall below the last best, for the schemes of 2017 the
    number of roll-backs; note: why it refused, empty otherwise.
    """

    problem: str
    method: str
    status: str = "refused"
    iterations: int = 0
    residual: float = float("nan")
    siconos_error: float | None = None
    cpu_s: float = 0.0
    growths: int = 0
    note: str = ""
    merit: list = dataclasses.field(default_factory=list)
    points: list = dataclasses.field(default_factory=list)


def method_and_options(text, **common):
    """Return (key, option dataclass) of METHOD or METHOD:NAME=VALUE:NAME=VALUE."""
    name, *pairs = text.split(":")
    entry = methods.get_method(name)
    values = {key: value for key, value in common.items() if value is not None}
    values |= dict(pair.partition("=")[::2] for pair in pairs)
    return entry.key, entry.options.from_strings(values)


def measure(problem, text, cuts=True, **common):
    """Return the Curve of one method, written METHOD or METHOD:NAME=VALUE, on one problem.

    cuts: solve again with fewer iterations too, for the judge's residual on the way.
    """
    key, options = method_and_options(text, **common)
    full = dataclasses.replace(options, record_history=True)
    try:
        solve(problem, None, key, dataclasses.replace(options, max_iterations=min(20, options.max_iterations)))
        report = solve(problem, None, key, full)
    except ProblemError as error:
        return Curve(problem.name, text, note=str(error))
    merit = [float(x) for x in report.history]
    points = _cut_off(problem, key, options, report) if cuts else []
    points.append((report.iterations, report.cpu_s, report.residual))
    return Curve(problem.name, text, str(report.status), report.iterations, report.residual, report.siconos_error,
                 report.cpu_s, growths(merit), "", merit, points)  # fmt: skip


def _cut_off(problem, key, options, report):
    """Points of solves that stop at 1, 2, 4, ... iterations; together they cost about as much as the full one."""
    points, count = [], 1
    while count < report.iterations:
        cut = solve(problem, None, key, dataclasses.replace(options, max_iterations=count), brief=True)
        points.append((cut.iterations, cut.cpu_s, cut.residual))
        count *= 2
    return points


def growths(merit):
    """Number of entries that are not below the last one that was."""
    last, count = float("inf"), 0
    for value in merit:
        if value >= last > 0:
            count += 1
        else:
            last = value
    return count


def hardest_problem(scene, options=None, progress=None):
    """Return the ContactProblem with the most contacts among those that the steps of a scene solve."""
    problems = (problem for _, problem in step_problems(scene, options, progress=progress))
    return max(problems, key=lambda problem: problem.block_count)


def load_problems(source, every=0, time=None, progress=None):
    """Return the ContactProblems that `source` names: a file, a folder of files, a scene file or a canonical scene.

    Of a scene: the problem of every `every`-th step, 0: the one with the most contacts, of the first `time` [s];
    progress(steps done, steps in all, StepReport).
    """
    path = Path(source)
    if path.suffix == ".npz" or path.is_dir():
        if every or time is not None:
            raise ProblemError(f"{path}: holds problems, not a scene; leave --every and --time out")
        return [load_problem(path)] if path.suffix == ".npz" else _folder(path)
    from ..scenes.lookup import find_scene

    scene = find_scene(source)
    options = options_for(scene, time=min(options_for(scene).time, SCENE_TIME) if time is None else time)
    if not every:
        return [hardest_problem(scene, options, progress)]
    return [problem for _, problem in step_problems(scene, options, every, progress)]


def _folder(path):
    problems = [load_problem(file) for file in sorted(path.glob("*.npz"))]
    if not problems:
        raise ProblemError(f"{path}: holds no .npz file; give a folder of contact problems")
    return problems


def compare(problems, names, progress=None, **common):
    """Return the Curves of every method on every problem; progress(done, total) is called after each."""
    curves, total = [], len(problems) * len(names)
    for problem in problems:
        for text in names:
            curves.append(measure(problem, text, time_limit=TIME_LIMIT, **common))
            if progress is not None:
                progress(len(curves), total)
    return curves


def write(curves, folder):
    """Write compare.csv, compare.json and, where matplotlib is installed, compare.png; returns the paths.

    Each file is whole or not there.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ProblemError(f"{folder}: cannot be made ({error.strerror}); choose another --output") from None
    table, data, picture = (folder / name for name in FILES)
    lines, drawing = io.StringIO(newline=""), io.BytesIO()
    writer = csv.writer(lines)
    writer.writerow(COLUMNS)
    writer.writerows([getattr(curve, name) for name in COLUMNS] for curve in curves)
    written = {
        table: lines.getvalue().encode(),
        data: json.dumps([_plain(dataclasses.asdict(curve)) for curve in curves]).encode(),
    }
    many = len({curve.problem for curve in curves}) > 1
    if (plot_many if many else plot_one)(curves, drawing):
        written[picture] = drawing.getvalue()
    for path, content in written.items():
        try:
            replace_file(path, lambda handle, content=content: handle.write(content))
        except OSError as error:
            raise ProblemError(f"{path}: cannot be written ({error.strerror}); choose another --output") from None
    return list(written)


def _plain(value):
    """Numbers that JSON has no word for become null."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_table(curves):
    """Print the table for people."""
    width = max(len(curve.method) for curve in curves)
    names = max(len(curve.problem) for curve in curves)
    head = f"{'problem':{names}} {'method':{width}} {'status':14} {'iterations':>10} {'residual':>9} {'CPU [s]':>9}"
    print(head)
    for curve in curves:
        line = f"{curve.problem:{names}} {curve.method:{width}} {curve.status:14} {curve.iterations:10d} "
        print(line + f"{curve.residual:9.1e} {curve.cpu_s:9.4f} {curve.note}".rstrip())


def check_target(folder, overwrite=False):
    """Refuse a folder that holds a comparison already, unless `overwrite`."""
    for name in FILES:
        path = Path(folder) / name
        if path.exists() and not overwrite:
            raise ProblemError(f"{path}: is there already; choose another --output, or --overwrite to replace it")
