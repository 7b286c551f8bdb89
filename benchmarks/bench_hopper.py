"""The slot hopper of the jamming studies: CPU a step, steps accepted, overlap; a DEM code beside it in one run.

    python benchmarks/bench_hopper.py [--seconds 4] [--outlet 3] [--friction 0.5] [--time-step 0.005] [--seed 1]
                                      [--runs 1] [--yade 1e7] [--damping 0.2]

200 grains fill the hopper behind the gate, which opens at 1.5 s for both, resting or not. Ours: default settings but
for the accuracy that the scene suggests, 1e-3 of what gravity gives in a step, one thread. YADE (Debian's package yade,
where it is installed): linear contacts of the stiffness given [Pa], with local damping, the same places of the grains
at the start, the same walls, gate and end of what has left, see yade_peer.py. `--runs 10` takes the seeds from `--seed`
on and adds the means: what left the hopper is a matter of chance and tells nothing in a single run.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from stiction.solver.scenes import build
from stiction.solver.simulation import options_for, simulate

# Grains below this height, in diameters, have left.
OUT = -2.0
# Second at which the gate opens.
OPEN = 1.5


def hopper(parameters):
    """The scene slot_hopper with a gate that opens at OPEN whether the grains rest or not."""
    scene = build("slot_hopper", open_time=OPEN, **parameters)
    return replace(scene, gates=tuple(replace(gate, speed=None) for gate in scene.gates))


def ours(parameters, seconds):
    """Seconds of CPU, steps, steps accepted, contacts, deepest overlap in diameters, grains out, by name."""
    scene = hopper(parameters)
    run = simulate(scene, options_for(scene, time=seconds, threads=1))
    steps, diameter = run.steps, parameters["diameter"]
    grains = [i for i, name in enumerate(run.names) if name.startswith("grain")]
    return {
        "who": "Stiction, default", "cpu_s": run.header["cpu_s"], "steps": len(steps["time"]),
        "accepted": float(np.mean(steps["converged"] != 0)), "contacts": int(np.max(steps["contact_count"])),
        "overlap": float(np.max(steps["overlap"])) / diameter, "residual": float(np.max(steps["residual"])),
        "out": int(np.count_nonzero(run.positions[-1, grains, 2] < OUT * diameter)),
    }  # fmt: skip


def yade(parameters, seconds, stiffness, damping):
    """The same of YADE; None, with the reason on stderr, where it cannot be run."""
    program = shutil.which("yade")
    if program is None:
        print("YADE is left out: no program `yade` (Debian: apt-get install yade)", file=sys.stderr)
        return None
    script = Path(__file__).with_name("yade_peer.py")
    places = [body.position for body in hopper(parameters).bodies if body.name.startswith("grain")]
    given = json.dumps(dict(parameters, seconds=seconds, stiffness=stiffness, damping=damping, places=places,
                            open=OPEN))  # fmt: skip
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([program, "-n", "-x", "-j1", str(script)], capture_output=True, text=True, check=False,
                          env=dict(environment, STICTION_HOPPER=given))  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        print(f"YADE is left out: it ended with {done.returncode}: {done.stderr[-300:]}", file=sys.stderr)
        return None
    return json.loads(lines[-1])


def mean(found):
    """The means of several runs of one program, the worst of overlap and residual."""
    worst = {key: max(one[key] for one in found) for key in ("overlap", "contacts")}
    accepted = None if found[0]["accepted"] is None else float(np.mean([one["accepted"] for one in found]))
    means = {key: float(np.mean([one[key] for one in found])) for key in ("cpu_s", "out")}
    return {**found[0], **worst, **means, "accepted": accepted}


def line(found):
    """One row of the table."""
    accepted = f"{100 * found['accepted']:.1f} %" if found["accepted"] is not None else "-"
    print(f"{found['who']:24} {found['cpu_s']:8.2f} CPU s {found['steps']:7d} steps"
          f" {1e3 * found['cpu_s'] / found['steps']:8.3f} ms a step, accepted {accepted:>8}, contacts"
          f" {found['contacts']:4d}, overlap {100 * found['overlap']:.4f} % of d, out {found['out']:g}",
          flush=True)  # fmt: skip


def main():
    """Print a row an engine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--outlet", type=float, default=3.0)
    parser.add_argument("--friction", type=float, default=0.5)
    parser.add_argument("--time-step", type=float, default=0.005)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--yade", type=float, default=1e7, help="stiffness of YADE's grains [Pa]")
    parser.add_argument("--damping", type=float, default=0.2, help="YADE's local damping [1]")
    given = parser.parse_args()
    mine, theirs = [], []
    for seed in range(given.seed, given.seed + given.runs):
        parameters = {"diameter": 0.1, "outlet": given.outlet, "friction": given.friction,
                      "time_step": given.time_step, "seed": seed}  # fmt: skip
        mine.append(ours(parameters, given.seconds))
        line(mine[-1])
        peer = yade(parameters, given.seconds, given.yade, given.damping)
        if peer:
            theirs.append(peer)
            line(peer)
    for found in (mine, theirs):
        if len(found) > 1:
            line({**mean(found), "who": f"{found[0]['who']}, mean"})


if __name__ == "__main__":
    main()
