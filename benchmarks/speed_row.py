"""One row of bench_speed.py in a process of its own: prints a JSON object. Runs in older trees, too."""

import importlib
import json
import sys
import time

import numpy as np


def loader():
    """load_scene of this tree, wherever it keeps it."""
    for place in ("scene_io.scene_file", "scene_file"):
        try:
            return importlib.import_module(f"stiction.solver.{place}").load_scene
        except ImportError:
            continue
    raise ImportError("this tree has no load_scene")


def problem_loader():
    """load_problem of this tree, wherever it keeps it."""
    for place in ("scene_io.problem_file", "problem_file"):
        try:
            return importlib.import_module(f"stiction.solver.{place}").load_problem
        except ImportError:
            continue
    raise ImportError("this tree has no load_problem")


def steps(path, seconds, options):
    """Run a scene file: CPU ms a step, share of it in solves, steps accepted, deepest overlap [m]."""
    from stiction.solver.simulation import options_for, simulate

    scene = loader()(path)
    simulate(scene, options_for(scene, time=2.5 * options.get("time_step", 0.01), threads=1, **options))
    run = simulate(scene, options_for(scene, time=seconds, threads=1, **options))
    table, cpu = run.steps, run.header["cpu_s"]
    count = len(table["time"])
    return {
        "ms": 1e3 * cpu / count, "steps": count, "simulated": float(table["time"][-1]), "cpu": cpu,
        "solves": float(np.sum(table["solve_s"]) / max(run.header["wall_s"], 1e-9)),
        "refused": int(np.sum(np.asarray(table["converged"]) == 0)), "overlap": float(np.max(table["overlap"])),
        "overlap_mean": float(np.mean(table["overlap"])), "contacts": int(np.max(table["contact_count"])),
    }  # fmt: skip


def accurate(path, limit):
    """Solve a problem file to 1e-8: CPU seconds and the residual reached within `limit` seconds."""
    from stiction.solver.methods import METHODS, solve

    problem = problem_loader()(path)
    options = METHODS["accurate"].options(tolerance=1e-8, time_limit=limit)
    solve(problem, method="accurate", options=METHODS["accurate"].options(tolerance=1e-8, max_iterations=60))
    start = time.process_time()
    report = solve(problem, method="accurate", options=options)
    return {"cpu": time.process_time() - start, "residual": float(report.residual), "contacts": problem.contact_count}


def main():
    """The row that the JSON on the command line tells."""
    given = json.loads(sys.argv[1])
    found = (steps(given["scene"], given["seconds"], given["options"]) if "scene" in given
             else accurate(given["problem"], given["limit"]))  # fmt: skip
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
