"""Chains and nets, fits, tips and cracks at 1 mm, 1 m and 100 m: are linked bodies linked still, how deep is what.

python benchmarks/bench_links.py [CASE ...] [--sizes 1e-3 1 100] [--workers N] [--resume] [--update] [--limit SECONDS]

Each row has a process of its own, of which --workers go at a time, and is written to benchmarks/data/links.json as soon
as it is known; --resume leaves out rows that are there and were made by the same sources. --update puts the table into
docs/validation.md. Scenes of other sizes are similar ones under the same gravity: times, and the step, go with the root
of the size, so that a case makes the same steps.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import numpy as np
from links import chains, fits, large, tips

from stiction.solver.collision.contacts import among
from stiction.solver.collision.depths import pair_depths
from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.dynamics.report_kernels import energies
from stiction.solver.results.linking import linking_numbers, unhooked
from stiction.solver.scenes.base import scaled
from stiction.solver.simulation import compiled, options_for, simulate
from stiction.solver.stepping.not_accepted import gain_by_overlap
from stiction.solver.validation.report import replace_part, source_digest

ROOT = Path(__file__).resolve().parents[1]
STORE, PAGE = ROOT / "benchmarks" / "data" / "links.json", ROOT / "docs" / "validation.md"
GROUPS = {"chains and nets": chains.CASES, "fits": fits.CASES, "tips and cracks": tips.CASES,
          "many contacts": large.CASES}
SIZES = (1.0, 1e-3, 100.0)
STEP, LOOK = 0.01, 5  # [s] at 1 m; steps between two looks at links and overlaps
# What is asked of a row: linked as before, overlap in parts of a body's size, energy in parts of what is at hand, CPU.
OVERLAP, GAIN, CPU, FEW = 1e-4, 1e-3, 1.0, 200


class Watch:
    """Looks at a run after each step; limit [s] of CPU, after which it ends; looking [s]: CPU time of looking, which is
    not the run's."""

    def __init__(self, model, state, lines, limit):
        self.model, self.limit = model, limit
        self.lines = [lines.get(name) for name in model.names]
        self.links = self._links(state)
        self.lost, self.overlap, self.pair, self.gain, self.gained_at, self.contacts = {}, 0.0, "", 0.0, 0, 0
        self.kinetic, potential = energies(model.bodies, state.position, state.orientation, state.twist)
        self.energy = self.kinetic + potential
        # What a body's weight gives over its own size, of all of them: at hand also where nothing moves.
        weight = float(np.linalg.norm(model.gravity)) * model.mass * model.size
        self.at_rest = float(weight[model.inverse_mass > 0].sum())
        self.begun, self.done, self.bad = time.process_time(), 0, 0
        self.looking = 0.0

    def _links(self, state):
        lines = self.lines
        return linking_numbers(lines, state.position, state.orientation) if any(x is not None for x in lines) else {}

    def __call__(self, done, state, report, _rows):
        """See `simulate`."""
        self.done = done
        energy = report.kinetic + report.potential
        # As the run itself counts it; no more than what the step gained: keyed bodies bring energy, too.
        gain = gain_by_overlap(report.stabilisation_work, (report.friction_work, report.impact_loss))
        gain = min(float(gain), energy - self.energy)
        part = gain / max(report.kinetic + self.at_rest, self.kinetic + self.at_rest, 1e-300)
        if part > self.gain:
            self.gain, self.gained_at = part, done
        self.kinetic, self.energy = report.kinetic, energy
        self.contacts = max(self.contacts, report.contact_count)
        self.bad += not report.converged or report.unresolved > 0
        if done % LOOK == 0:
            begun = time.process_time()
            self.look(state, done)
            self.looking += time.process_time() - begun
        return "stopped by the clock" if time.process_time() - self.begun > self.limit else None

    def look(self, state, done):
        """Measure links and overlaps."""
        model = self.model
        for pair in unhooked(self.links, self._links(state)):
            self.lost.setdefault(pair, done)
        found = pair_depths(model.collision, state.position, state.orientation, model.inverse_mass > 0)
        size = np.where(model.inverse_mass > 0, model.size, np.inf)
        smaller = np.minimum(size[found.body_a], size[found.body_b])
        part = found.depth / smaller
        for k in np.flatnonzero(part > max(OVERLAP, self.overlap)):
            part[k] = way_apart(model, state, found.body_a[k], found.body_b[k], found.depth[k]) / smaller[k]
        if len(part) and part.max() > self.overlap:
            k = int(part.argmax())
            self.overlap = float(part[k])
            self.pair = f"{model.names[found.body_a[k]]} and {model.names[found.body_b[k]]}, step {done}"


def way_apart(model, state, a, b, depth):
    """Length [m], no more than `depth`, of a shift that takes bodies a and b out of each other: the shortest along a
    normal of a contact of theirs that overlaps, to a hundredth of `depth`."""
    collision, alone = model.collision, np.arange(len(state.position)) == (a if model.inverse_mass[a] > 0 else b)
    pair = among(len(alone), np.array([a]), np.array([b]))

    def apart(shift):
        position = state.position.copy()
        position[b] += shift
        return not len(pair_depths(collision, position, state.orientation, alone, wanted=pair).depth)

    contacts = find_contacts(collision, state.position, state.orientation, np.zeros_like(state.twist), 0.0, wanted=pair)
    for normal in contacts.normal[contacts.gap < 0.0]:
        if not apart(depth * normal):
            continue
        short, long = 0.0, depth
        while long - short > 0.01 * depth:
            middle = 0.5 * (short + long)
            short, long = (short, middle) if apart(middle * normal) else (middle, long)
        depth = long
    return depth


def run(case, size, limit):
    """The row of a case at a size [m], a dict."""
    scene, lines = case.build()
    root = size**0.5
    scene = scaled(scene, size, root, size**3)
    step = scene.settings.get("time_step", STEP * root)
    options = options_for(scene, time=case.time * root, time_step=step, threads=1)
    model, state = compiled(scene, options)
    watch = Watch(model, state, {name: line * size for name, line in lines.items()}, limit)
    # So that the limit counts the run alone.
    result = simulate(scene, options, watch=watch)
    watch.look(result.state, watch.done)
    row = {
        "links": len(watch.links), "lost": [f"{model.names[a]} and {model.names[b]}, step {k}" for (a, b), k in
                                            sorted(watch.lost.items())],
        "overlap": watch.overlap, "deepest": watch.pair, "gain": watch.gain, "gained_at": watch.gained_at,
        "not_accepted": int(watch.bad), "steps": watch.done, "contacts": watch.contacts,
        "cpu": (result.header["cpu_s"] - watch.looking) / max(watch.done * step / root, 1e-300),
        "ended": result.header.get("fault") or result.header.get("stopped") or "",
        "fastest_at_end": float(np.abs(result.state.twist[model.inverse_mass > 0, :3]).max()) / root,
    }  # fmt: skip
    return row


def misses(row):
    """What a row misses, in words."""
    found = [("links", bool(row["lost"])), ("overlap", row["overlap"] > OVERLAP), ("energy", row["gain"] > GAIN)]
    found += [("steps", row["not_accepted"] > 0), ("end", bool(row["ended"]))]
    found += [("cost", row["cpu"] > CPU and row["contacts"] < FEW)]
    return [name for name, missed in found if missed]


def table(rows):
    """Lines of the page."""
    clean = sum(not misses(row) for row in rows.values())
    one_code = len({row["code"] for row in rows.values()}) == 1
    mixed = "" if one_code else " Not all were measured on the same state of the code."
    text = [
        "",
        "## Chains, fits, tips",
        "",
        "Made by `make bench-links` (benchmarks/bench_links.py), default settings, steps of 10 ms at 1 m. Scenes of",
        "1 mm and 100 m are similar ones under the same gravity; their steps go with the root of the size. Asked:",
        "",
        "- What was linked stays linked (Gauss' linking number of centre lines), and every step is accepted.",
        f"- No overlap above {OVERLAP:g} of the smaller body's size, its radius about its centre of mass. Measured",
        f"  is how far edges are through faces, up to twice the overlap; where that is above {OVERLAP:g}, the shortest",
        "  shift along the normal of a contact that takes the two bodies out of each other.",
        f"- No step gains more than {GAIN:g} of the energy at hand (kinetic, weights times sizes) by removing overlap,",
        "  beyond what its impacts and friction took.",
        f"- Below {FEW} contacts 100 steps take {CPU:g} CPU s or less. CPU times vary with the machine,",
        "  here by more than twice.",
        "",
        f"**{clean} of {len(rows)} rows hold all of it.**" + mixed,
        "",
        "| scene | size, m | links kept | overlap, of size | energy gained, worst step | steps not accepted | contacts "
        "| CPU, s for 100 steps | missed |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for group, cases in GROUPS.items():
        some = [(case.key, size) for case in cases for size in SIZES if f"{case.key} {size:g}" in rows]
        text += [f"| *{group}* | | | | | | | | |"] if some else []
        for key, size in some:
            row = rows[f"{key} {size:g}"]
            links = f"{row['links'] - len(row['lost'])} of {row['links']}" if row["links"] else ""
            missed = ", ".join(misses(row)) + (f" ({row['ended']})" if row["ended"] else "")
            text.append(
                f"| `{key}` | {size:g} | {links} | {row['overlap']:.1e} | {row['gain']:.1e} | "
                f"{row['not_accepted']} of {row['steps']} | {row['contacts']} | {row['cpu']:.2f} | {missed} |"
            )
    return "\n".join(text)


def line(name, row):
    """A row for the terminal."""
    return (
        f"{name:20} {row['links'] - len(row['lost'])}/{row['links']} overlap {row['overlap']:.1e} "
        f"gain {row['gain']:.1e} step {row['gained_at']} "
        f"bad {row['not_accepted']}/{row['steps']} contacts {row['contacts']} CPU {row['cpu']:.2f} "
        f"end {row['fastest_at_end']:.1e} [{','.join(misses(row))}] {row['ended']} {row['deepest']}"
    )


def stored():
    """Rows that are known, {"case size": row}."""
    return json.loads(STORE.read_text()) if STORE.exists() else {}


def main():
    """Run what is asked for, a process a row; return 1 where a row misses."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--sizes", type=float, nargs="+", default=SIZES)
    parser.add_argument("--limit", type=float, default=60.0, help="CPU s of a row, after which it ends and says so")
    parser.add_argument("--workers", type=int, default=1, help="rows that are made at a time")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--one", action="store_true", help="run one row here and print it as JSON")
    chosen = parser.parse_args()
    known = {case.key: case for cases in GROUPS.values() for case in cases}
    wanted = chosen.cases or list(known)
    if unknown := [key for key in wanted if key not in known]:
        parser.error(f"no case {unknown[0]}; there are {', '.join(known)}")
    if chosen.one:
        print(json.dumps(run(known[wanted[0]], chosen.sizes[0], chosen.limit)))
        return 0
    rows, code, short = stored(), source_digest(), 0
    asked = {f"{key} {size:g}": (key, size) for size in chosen.sizes for key in wanted
             if size in (known[key].sizes or chosen.sizes)}  # fmt: skip
    asked = {name: row for name, row in asked.items() if not (chosen.resume and rows.get(name, {}).get("code") == code)}
    with ThreadPoolExecutor(chosen.workers) as pool:
        made = {pool.submit(one_row, *row, chosen.limit): name for name, row in asked.items()}
        for done in as_completed(made):
            name, row = made[done], done.result()
            short += bool(misses(row))
            print(line(name, row), flush=True)
            rows = {**stored(), name: {**row, "code": code}}
            STORE.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n")
    if chosen.update:
        PAGE.write_text(replace_part(PAGE.read_text(), "links", table(rows)))
    return int(short > 0)


def one_row(key, size, limit):
    """The row of a case at a size, see row_apart."""
    return row_apart([__file__, key, "--one", "--sizes", repr(size), "--limit", str(limit)], 10 * limit)


def row_apart(arguments, longest):
    """The row that Python prints as JSON with these arguments, from a process of its own: what it does cannot end the
    others. longest [s]: after that it ends, and says so."""
    try:
        alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=longest,
                              check=False, env=alone)  # fmt: skip
        if done.returncode == 0:
            return json.loads(done.stdout.splitlines()[-1])
        ended = (done.stdout + done.stderr).strip().splitlines()[-1][:200]
    except subprocess.TimeoutExpired:
        ended = f"no end within {longest:g} s"
    none = dict.fromkeys(("links", "overlap", "gain", "gained_at", "not_accepted", "steps", "contacts", "cpu"), 0)
    return {**none, "lost": [], "deepest": "", "ended": ended, "fastest_at_end": 0.0}


if __name__ == "__main__":
    sys.exit(main())
