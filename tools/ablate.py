"""What each mechanism of a step is worth: the suite of ablation_suite.py with one after the other turned off.

    python tools/ablate.py [--resume] [--only NAME,NAME] [--beside] [--no-tests] [--dearest S]

Writes docs/mechanisms.json and docs/mechanisms.md after each mechanism; --resume keeps the rows that are there. Steps
are made the general way throughout, for quiet steps hold many mechanisms: the reference is all of them without calm
steps. Of the suite only that is run again in which the mechanism acted there; the others are the same to the bit. With
--beside a row gets a reference of its own, measured beside it: for a mechanism that is newer than the other rows. CPU
time is that of the process, and worth something on an idle machine alone; `work`, contacts relaxed, is the same
everywhere.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from ablation_page import page
from ablation_suite import ROOT, SCENES, TESTS, cases

STORE, PAGE = ROOT / "docs" / "mechanisms.json", ROOT / "docs" / "mechanisms.md"
# What the rows are compared with, and what that is compared with itself.
REFERENCE, ALL = "quiet_steps", "all"
# Longest that a worker and a file of tests may take [s].
LONGEST, LONGEST_TESTS = 1500.0, 400.0
# Energies are measured in those of the motion, and this part of what would lift all bodies by their size.
LEAST = 1e-4


def acted():
    """A Counter that counts from now on whatever any step of this process counts."""
    from stiction.solver.mechanisms import Events

    tally, counted = Counter(), Events.count

    def count(self, name, number=1):
        tally[name] += int(number)
        counted(self, name, number)

    Events.count = count
    return tally


def look(key, _):
    """The figures of a scene of the suite, with what acted."""
    import numpy as np

    from stiction.solver.results.summary import run_summary
    from stiction.solver.simulation import options_for, simulate

    entry = SCENES[key]
    scene = entry.make()
    run = simulate(scene, options_for(scene, threads=1, **entry.options))
    said, steps = run_summary(run), run.steps
    energy = steps["kinetic"] + steps["potential"] + steps["elastic"]
    header = run.header
    weight = np.hypot.reduce(header["gravity"]) * np.dot(np.nan_to_num(header["mass"], posinf=0.0), header["size"])
    scale = np.max(steps["kinetic"]) + np.ptp(steps["potential"]) + LEAST * weight
    found = {
        "overlap": said["overlap_max"], "overlap_mean": float(steps["overlap"].mean()),
        "residual": said["residual_max"], "refused": said["steps_not_accepted"],
        "deep": int(steps["unresolved"].sum()), "gain": float(said["energy"]["largest_gain"] / scale),
        "lift": float(said["energy"]["largest_lift"] / scale), "cpu": header["cpu_s"],
        "work": float(steps["work"].sum()), "fault": run.fault, "verdict": said["verdict"], "events": said["events"],
    }  # fmt: skip
    if entry.rests:
        half = len(run.times) // 2
        found["drift"] = float(np.linalg.norm(run.positions[-1] - run.positions[half], axis=1).max())
    if entry.keeps:
        found["lost"] = float(np.abs(energy - energy[0]).max() / scale)
    return found


def case(key, tally):
    """The lines of a validation case that do not hold, with what acted."""
    from stiction.solver.validation.execute import run_case

    tally.clear()
    result = run_case(key)
    lines = {line.quantity: str(line.measured) for line in result.outcome.lines if not (line.passed or line.demanded)}
    return {"cpu": result.seconds, "failed": lines, "events": dict(tally)}


def worker(keys):
    """Print a line of JSON for each scene and case, as soon as it is known."""
    tally = acted()
    for key in keys:
        kind, _, name = key.partition(":")
        try:
            found = (look if kind == "scene" else case)(name, tally)
        except Exception as error:
            # What a mechanism guards against is a finding.
            found = {"fault": f"{type(error).__name__}: {error}"[:200], "events": dict(tally), "cpu": 0.0}
        print(json.dumps({key: found}), flush=True)


def environment(name):
    """Environment of processes without a mechanism."""
    return dict(os.environ, STICTION_WITHOUT="" if name == ALL else name, PYTHONHASHSEED="0")


def measured(name, keys):
    """{key: figures} of scenes and cases without a mechanism."""
    command = [sys.executable, str(Path(__file__).resolve()), "--worker", ",".join(keys)]
    found = {}
    with subprocess.Popen(command, cwd=ROOT, env=environment(name), stdout=subprocess.PIPE, text=True) as process:
        began = time.monotonic()
        for line in process.stdout:
            if line.startswith("{"):
                found |= json.loads(line)
            if time.monotonic() - began > LONGEST:
                process.kill()
    return found


def failed_tests(name, tests):
    """Which tests below tests/, files or single ones, fail without a mechanism."""
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider",
               "-m", "not slow(hours=True)", *(f"tests/{test}" for test in tests)]  # fmt: skip
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment(name), capture_output=True, text=True, check=False,
                              timeout=LONGEST_TESTS)  # fmt: skip
    except subprocess.TimeoutExpired:
        return ["(not ended in time)"]
    lines = [line.split(" ", 1)[1].split(" - ")[0] for line in done.stdout.splitlines()
             if line.startswith(("FAILED", "ERROR"))]  # fmt: skip
    return [line.removeprefix("tests/") for line in lines]


def own_failures(name):
    """Tests of a mechanism's area that fail without it, and not without quiet steps alone."""
    failed = failed_tests(name, TESTS[name])
    known = failed_tests(REFERENCE, [test for test in failed if "::" in test]) if failed and name != REFERENCE else []
    return [test.rpartition("/")[2] for test in failed if test not in known]


def chosen(reference, name, dearest=float("inf")):
    """Keys of what a mechanism acted in, of scenes for ALL, without what takes more than `dearest` CPU seconds."""
    return [key for key, found in reference.items() if found["cpu"] <= dearest
            and (found["events"].get(name) or name == ALL and key.startswith("scene:"))]  # fmt: skip


def stored(store):
    """Text of the store, a line a mechanism, without what did not act."""
    for row in store.values():
        for found in (*row["suite"].values(), *row.get("reference", {}).values()):
            found["events"] = {name: count for name, count in found["events"].items() if count}
    lines = (f"{json.dumps(name)}: {json.dumps(row, sort_keys=True)}" for name, row in store.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main():
    """See the docstring of the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--resume", action="store_true", help="keep the rows that are there")
    parser.add_argument("--only", default="", help="names of mechanisms, with commas between")
    parser.add_argument("--beside", action="store_true", help="measure a reference of its own beside each row")
    parser.add_argument("--no-tests", action="store_true", help="leave out the tests of areas, which --resume adds")
    parser.add_argument("--dearest", type=float, default=float("inf"), metavar="S",
                        help="leave out what took more CPU seconds with all on")
    parser.add_argument("--page", action="store_true", help="only write the page from what is there")
    parser.add_argument("--worker", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        worker(given.worker.split(","))
        return
    store = json.loads(STORE.read_text()) if (given.resume or given.page) and STORE.exists() else {}
    if not given.page:
        ablate(store, given)
    STORE.write_text(stored(store), encoding="utf-8")
    PAGE.write_text(page(store), encoding="utf-8")


def measured_row(name, every, store, given):
    """The row of a mechanism: its suite, of all keys, the load, and the reference beside it if that is asked for."""
    if name == REFERENCE:
        return {"suite": measured(name, every), "load": os.getloadavg()[0]}
    reference = measured(REFERENCE, every) if given.beside else store[REFERENCE]["suite"]
    keys = chosen(reference, name, given.dearest)
    row = {"suite": measured(name, keys) if keys else {}, "load": os.getloadavg()[0]}
    return row | ({"reference": {key: reference[key] for key in keys}} if given.beside else {})


def ablate(store, given):
    """Fill the store, {name: {"suite": {key: figures}, "tests": [...]}}, and write both files after each row."""
    from stiction.solver.mechanisms import MECHANISMS, checked

    wanted = checked(given.only.split(",")) if given.only else MECHANISMS
    seconds = json.loads((ROOT / "docs" / "validation.json").read_text())
    every = [f"scene:{key}" for key in SCENES]
    every += [f"case:{key}" for key in cases({key: entry["seconds"] for key, entry in seconds.items()})]
    rows = [REFERENCE, *(name for name in MECHANISMS if name in wanted and name != REFERENCE)]
    for name in rows + [ALL] * (REFERENCE in wanted):
        row, asked = store.get(name), name in TESTS and not given.no_tests
        if row is not None and ("tests" in row or not asked):
            continue
        began = time.monotonic()
        row = row or measured_row(name, every, store, given)
        if asked:
            row["tests"] = own_failures(name)
        store[name] = row
        STORE.write_text(stored(store), encoding="utf-8")
        PAGE.write_text(page(store), encoding="utf-8")
        print(f"{name}: {len(row['suite'])} of the suite, {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
