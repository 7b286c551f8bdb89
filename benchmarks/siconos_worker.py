"""Time Siconos' solvers on contact problems; run by bench_methods.py with a Python that has Siconos.

    /usr/bin/python3 siconos_worker.py REQUEST.json      prints one JSON object a line

The request holds: problems (paths of .npz files with W_data, W_indices, W_indptr, q, mu), targets (relative errors,
falling), limit (CPU seconds a solve), large (contacts above which only the solvers that scale are run) and known (pairs
of a problem's name and a solver that are left out). Each
solve runs in a child process of its own: Siconos may leave the process or never return.
"""

import importlib
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

SOLVERS = ("NSGS", "NSGS_PROJ", "VI_FPP", "VI_EG", "TFP", "PROX", "ADMM", "NSN_AC", "NSN_AC_HYB", "NSN_FB", "NSN_NM")
LARGE_SOLVERS = ("NSGS", "NSGS_PROJ", "PROX", "ADMM", "NSN_AC")
BLOCK_STORAGE = ("NSGS", "NSGS_PROJ", "VI_FPP", "VI_EG", "TFP", "PROX")
ITERATIONS = {"PROX": 1000, "TFP": 10_000, "ADMM": 100_000, "NSN_AC": 1000, "NSN_FB": 1000, "NSN_NM": 1000}


def load_siconos():
    """The module siconos.numerics; its type maps need some modules of scipy to be loaded before."""
    for name in ("coo", "csc", "csr"):
        importlib.import_module("scipy.sparse." + name)
    return importlib.import_module("siconos.numerics")


def error_of(W, q, mu, r):
    """Siconos' relative error (fc3d_compute_error, rho = 1) of impulses r."""
    u = (W @ r + q).reshape(-1, 3)
    R = r.reshape(-1, 3)
    z = R - u
    z[:, 0] -= mu * np.hypot(u[:, 1], u[:, 2])
    slip = np.hypot(z[:, 1], z[:, 2])
    P = np.zeros_like(z)
    inside = slip <= mu * z[:, 0]
    P[inside] = z[inside]
    m = ~inside & ~(mu * slip <= -z[:, 0])
    P[m, 0] = (mu[m] * slip[m] + z[m, 0]) / (1 + mu[m] ** 2)
    P[m, 1:] = z[m, 1:] * (mu[m] * P[m, 0] / slip[m])[:, None]
    scale = max(np.linalg.norm(q), np.linalg.norm(r), np.linalg.norm(u))
    error = np.linalg.norm(R - P)
    return error / scale if scale > np.finfo(float).eps else error


def block_problem(numerics, W, q, mu):
    """The problem with 3x3 block storage, through Siconos' text format."""
    count = len(mu)
    B = sparse.bsr_matrix(W, blocksize=(3, 3))
    B.sort_indices()
    ends = "\t".join(str(3 * (i + 1)) for i in range(count))
    numbers = (3, count, 1, 3 * count, 3 * count, len(B.indices), count, count)
    sizes = [*map(str, numbers), ends, ends]
    pattern = [str(count + 1), str(len(B.indices)), "\t".join(map(str, B.indptr)), "\t".join(map(str, B.indices))]
    lines = sizes + pattern
    for k, block in enumerate(B.data):
        lines += [str(k), *(f"{x:.17e}" for x in block.T.ravel())]
    lines += [" ".join(f"{x:.17e}" for x in q), " ".join(f"{x:.17e}" for x in mu), "0", ""]
    with tempfile.NamedTemporaryFile("w", suffix=".dat", delete=False) as file:
        file.write("\n".join(lines))
    problem = numerics.frictionContact_new_from_filename(file.name)
    os.unlink(file.name)
    return problem


def options_of(numerics, solver, tolerance):
    """Siconos' options of a solver."""
    prefix = "SICONOS_FRICTION_3D_"
    base = {"NSGS_PROJ": "NSGS", "NSN_AC_HYB": "NSN_AC"}.get(solver, solver)
    options = numerics.SolverOptions(getattr(numerics, prefix + base))
    options.dparam[numerics.SICONOS_DPARAM_TOL] = tolerance
    options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = ITERATIONS.get(base, 1_000_000)
    if solver == "NSGS_PROJ":
        local = getattr(numerics, prefix + "ONECONTACT_ProjectionOnConeWithLocalIteration")
        numerics.solver_options_update_internal(options, 0, local)
    if solver == "NSN_AC_HYB":
        strategy = getattr(numerics, prefix + "NSN_HYBRID_STRATEGY")
        options.iparam[strategy] = getattr(numerics, prefix + "NSN_HYBRID_STRATEGY_VI_EG_NSN")
    return options


def solve(W, q, mu, solver, tolerance):
    """(shortest seconds, relative error) of solves; conversion to Siconos' storage is made once and not timed."""
    numerics = load_siconos()
    if solver in BLOCK_STORAGE:
        problem = block_problem(numerics, W, q, mu)
    else:
        C = sparse.csc_matrix(W)
        C = sparse.csc_matrix((C.data, C.indices.astype(np.int64), C.indptr.astype(np.int64)), C.shape)
        problem = numerics.FrictionContactProblem(3, len(mu), C, q.copy(), mu.copy())
    options = options_of(numerics, solver, tolerance)
    best, error, done, wanted = np.inf, 0.0, 0, 1
    while done < wanted:
        r, u = np.zeros(len(q)), np.zeros(len(q))
        cpu, wall = time.process_time(), time.perf_counter()
        numerics.fc3d_driver(problem, r, u, options)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        best = min(best, wall, cpu if cpu > 0 else wall)
        error = max(error, error_of(W, q, mu, r))
        done, wanted = done + 1, 1 + repeats(best)
    return best, error


def repeats(seconds):
    """How often a solve is timed again: as often as ours in bench_methods.py."""
    return 30 if seconds < 2e-4 else 4 if seconds < 0.05 else 0


def child(pipe, arguments, limit):
    """Solve, and solve short ones again; send the shortest time and the error."""
    seconds = int(limit + time.process_time() + 1)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    best, error = solve(*arguments)
    pipe.send((best, float(error)))
    os._exit(0)


def isolated(arguments, limit):
    """Result of `solve` in a child process, or None where it failed or took too long."""
    receive, send = multiprocessing.Pipe(False)
    process = multiprocessing.get_context("fork").Process(target=child, args=(send, arguments, limit))
    process.start()
    send.close()
    result = None
    try:
        if receive.poll(8 * limit):
            result = receive.recv()
    except EOFError:
        result = None
    if process.is_alive():
        process.kill()
    process.join()
    return result


def main(path):
    """Run all solvers on all problems of the request, target after target."""
    load_siconos()
    with open(path) as file:
        request = json.load(file)
    for problem in request["problems"]:
        data = np.load(problem, allow_pickle=False)
        q, mu = np.ascontiguousarray(data["q"], float), np.ascontiguousarray(data["mu"], float)
        W = sparse.bsr_matrix((data["W_data"], data["W_indices"], data["W_indptr"]), shape=(len(q), len(q)))
        solvers = LARGE_SOLVERS if len(mu) > request["large"] else SOLVERS
        for solver in solvers:
            if [Path(problem).stem, solver] in request["known"]:
                continue
            solved = True
            for target in request["targets"]:
                # What failed at one target is not tried at a smaller one.
                found = isolated((W, q, mu, solver, target), request["limit"]) if solved else None
                if found is not None and target < found[1] and found[0] < request["limit"]:
                    # The solver's own stop may be looser than the common measure.
                    found = isolated((W, q, mu, solver, 0.2 * target), request["limit"])
                solved = found is not None and found[1] <= target and found[0] <= request["limit"]
                line = {"problem": problem, "method": solver, "target": target, "seconds": found[0] if solved else None}
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
