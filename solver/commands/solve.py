"""`stiction solve`: one contact problem from a file."""

import json
import sys
from pathlib import Path

from ..base.files import check_output, write_output
from .common import DONE, NOT_MET, Refused, add_method, add_overwrite, method_options

HELP = "solve a contact problem from a file"


def arguments(command):
    """Fill the parser."""
    command.add_argument("problem", metavar="PROBLEM.npz")
    add_method(command)
    command.add_argument("--tolerance", type=float, default=None, help="wanted residual [m/s]")
    command.add_argument("--max-iterations", type=int, default=None)
    command.add_argument("--time-limit", type=float, default=None, help="[s]")
    command.add_argument("--output", default=None, metavar="OUT.npz")
    add_overwrite(command)
    command.add_argument("--json", action="store_true")


def run(options):
    """Solve, let the judge grade, print."""
    import numpy as np

    from .. import methods
    from ..runs.warm_up import warm_up_method
    from ..scene_io.problem_file import load_problem

    if options.output:
        _check_output(options)
    problem = load_problem(options.problem)
    entry = methods.get_method(options.method or "default")
    values = {
        "tolerance": options.tolerance,
        "max_iterations": options.max_iterations,
        "time_limit": options.time_limit,
    }
    values = {key: value for key, value in values.items() if value is not None}
    chosen = entry.options.from_strings(values | method_options(options))
    for note in problem.notes:
        print(f"stiction: {problem.name}: {note}", file=sys.stderr)
    warm_up_method(entry.key, chosen)
    impulse = np.zeros(problem.row_count)
    report = methods.solve(problem, impulse, entry.key, chosen)
    if options.output:
        _save_impulse(options, problem, impulse)
    summary = {
        "problem": problem.name, "method": report.method, "contacts": report.contact_count,
        "status": str(report.status),
        "iterations": report.iterations, "residual": report.residual, "siconos_error": report.siconos_error,
        "cpu_s": report.cpu_s, "wall_s": report.wall_s, "tolerance": chosen.tolerance, "symmetric": problem.symmetric,
        "notes": list(problem.notes), "violations": vars(report.violations),
    }  # fmt: skip
    if options.json:
        print(json.dumps(summary))
    else:
        for key, value in summary.items():
            print(f"{key:17} {value}")
        print(_both_errors(summary))
    return DONE if report.residual <= chosen.tolerance else NOT_MET


# How a solve ends that misses its tolerance, and what to do then.
_MISSED = {
    "acceptable": ("as good as `acceptable` asks for", "lower --option acceptable"),
    "max_iterations": ("the iterations were used up", "raise --max-iterations, or try --method accurate"),
    "time_limit": ("the time was up", "raise --time-limit"),
    "stagnated": ("nothing lessened it any more", "try --method accurate"),
    "diverged": ("the method diverged", "try --method default"),
    "converged": ("by the method's own rule, not by the residual", "lower --tolerance"),
}


def _both_errors(summary):
    """A sentence about the two errors of an answer: a tolerance is on the judge's, and Siconos' may be larger."""
    residual, error, tolerance = summary["residual"], summary["siconos_error"], summary["tolerance"]
    met = f"residual {residual:.2e} m/s" + ("" if error is None else f", Siconos' error {error:.2e}")
    if not residual <= tolerance:
        how, remedy = _MISSED[summary["status"]]
        return f"{met}: above the {tolerance:g} m/s asked for, {how}; {remedy}"
    stopped = f"{met}: stopped by the residual, at {tolerance:g} m/s"
    if error is not None and error > tolerance:
        stopped += "; Siconos' error is larger: a smaller tolerance lowers both"
    return stopped


def _check_output(options):
    """Refuse before the work what could not be written after it; the problem itself is never replaced."""
    target, source = Path(options.output), Path(options.problem)
    if target.exists() and source.exists() and target.samefile(source):
        raise Refused(f"{target}: is the problem itself" + ("" if options.overwrite else ", which not even --overwrite "
                      "replaces") + "; choose another file")  # fmt: skip
    check_output(target, Refused, options.overwrite)


def _save_impulse(options, problem, impulse):
    """Impulses (K, rows a contact) in the file's own row order, where all blocks have as many rows."""
    import numpy as np

    rows = np.diff(problem.row_start)
    equal = len(rows) > 0 and np.all(rows == rows[0])
    arrays = {"impulse": impulse.reshape(-1, rows[0]) if equal else impulse, "row_start": problem.row_start}
    write_output(options.output, lambda handle: np.savez(handle, **arrays), Refused, options.overwrite)
