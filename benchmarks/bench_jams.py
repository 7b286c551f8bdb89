"""Share of jams of the slot hopper: ours and a DEM code's in one run, from the same places of the same grains.

    python benchmarks/bench_jams.py [--outlet 3] [--friction 0.5] [--slot 1.05] [--time-step 0.005] [--seeds 12]
                                    [--first 1000] [--contacts local|viscous|none] [--only ours|yade]

One row a seed, then jams of runs with Wilson's interval, and whether both may come from one probability (Newcombe). The
gate opens at 1.5 s, a run is jammed when nothing has left for 1.5 s and what is left is slower than 0.05 m/s, for both.
YADE's contacts: `local`, elastic with YADE's local damping 0.2, which takes a fifth off any force along a motion, in
the air and in rolling, too; `viscous`, no local damping, normals damped at 0.8 of critical, as little bounce as our
restitution 0; `none`, elastic ones that bounce. Needs YADE (Debian: apt-get install yade) for its part.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from stiction.solver.scenes import build
from stiction.solver.studies.plan import tasks_of
from stiction.solver.studies.statistics import agree, wilson
from stiction.solver.studies.study import study_from_data
from stiction.solver.studies.task import perform

OPEN, LIMIT, QUIET = 1.5, 40.0, 1.5
CONTACTS = {"local": {"damping": 0.2}, "viscous": {"damping": 0.0, "viscous": 0.8}, "none": {"damping": 0.0}}


def ours(parameters):
    """(1 if jammed, grains out, CPU s) of our run."""
    (task,) = tasks_of(study_from_data({
        "stiction_study": 1, "settings": {"time": LIMIT}, "repeats": {"count": 1, "seed": parameters["seed"]},
        "scene": {"name": "slot_hopper", "parameters": {**parameters, "open_time": OPEN}}, "stop": {"quiet": QUIET},
    }, checked=False))  # fmt: skip
    row = perform([task])[0]["row"]
    return row["jammed"], row["discharged_count"], row["cpu_s"]


def yade(parameters, contacts):
    """The same of YADE's run."""
    scene = build("slot_hopper", **parameters)
    places = [body.position for body in scene.bodies if body.name.startswith("grain")]
    given = dict(parameters, **CONTACTS[contacts], diameter=0.1, seconds=LIMIT, stiffness=1e7, places=places,
                 open=OPEN, quiet=QUIET, out=-1.0)  # fmt: skip
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        ["yade", "-n", "-x", "-j1", str(Path(__file__).with_name("yade_peer.py"))], capture_output=True, text=True,
        check=False, env=dict(environment, STICTION_HOPPER=json.dumps(given)),
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        sys.exit(f"YADE ended with {done.returncode}: {done.stderr[-300:]}")
    found = json.loads(lines[-1])
    return int(found["ended"] == "jammed"), found["out"], found["cpu_s"]


def main():
    """Print the rows and the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--outlet", type=float, default=3.0)
    parser.add_argument("--friction", type=float, default=0.5)
    parser.add_argument("--slot", type=float, default=1.05)
    parser.add_argument("--time-step", type=float, default=0.005)
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--contacts", choices=CONTACTS, default="viscous")
    parser.add_argument("--only", choices=("ours", "yade"), default=None)
    given = parser.parse_args()
    engines = {"ours": ours, "yade": lambda parameters: yade(parameters, given.contacts)}
    if given.only:
        engines = {given.only: engines[given.only]}
    if "yade" in engines and not shutil.which("yade"):
        sys.exit("no program `yade` (Debian: apt-get install yade); --only ours runs without it")
    shares = {}
    for name, engine in engines.items():
        found = []
        for seed in range(given.first, given.first + given.seeds):
            found.append(engine({"outlet": given.outlet, "friction": given.friction, "slot": given.slot,
                                 "time_step": given.time_step, "seed": seed}))  # fmt: skip
            jam, out, cpu = found[-1]
            print(f"{name:5} seed {seed}: {'jammed' if jam else 'flowed'}, {out:3d} out, {cpu:.1f} CPU s", flush=True)
        shares[name] = (sum(row[0] for row in found), len(found))
    for name, (jams, runs) in shares.items():
        low, high = wilson(jams, runs)
        print(f"{name:5} {jams}/{runs} [{low:.2f}, {high:.2f}]")
    if len(shares) == 2:
        print("one probability may lie behind both:", "yes" if agree(*shares.values()) else "NO")


if __name__ == "__main__":
    main()
