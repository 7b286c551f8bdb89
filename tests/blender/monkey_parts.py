"""The monkey's steps in parts: each has a seed and a Blender of its own, so that a crash ends its part alone.

    PYTHON tests/blender/monkey_parts.py STEPS SEED PART FOLDER [STEP,STEP to leave out]

PYTHON's module bpy says which Blender it is. FOLDER/monkey.jsonl gets a line a part: Blender, state of the extension,
seed, steps and how it ended; a part that went well in this Blender and state is not made again. Seeds count up from
SEED. Exit code 1 if a part went wrong; its log lies beside.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Seconds after which a part of a hundred steps hangs.
LONGEST = 1200.0


def blender():
    """Version of PYTHON's Blender."""
    code = "import bpy; print('blender', *bpy.app.version, sep='.'); import os; os._exit(0)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    return next(line.removeprefix("blender.") for line in said.splitlines() if line.startswith("blender."))


def state():
    """Digest of what the monkey plays with."""
    digest = hashlib.sha256()
    for folder in ("blender_addon", "operators", "ui", "solver", "tests/blender"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def part(steps, seed, log, without):
    """Make a part; returns how it ended, "" for well."""
    command = [sys.executable, str(ROOT / "tests/blender/monkey.py"), str(steps), str(seed), str(log), without]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST * max(1.0, steps / 100))
    except subprocess.TimeoutExpired:
        return "hangs"
    traces = "Traceback (most recent call last)" in done.stdout + done.stderr
    if done.returncode == 0 and not traces:
        return ""
    log.with_suffix(".said").write_text(done.stdout + done.stderr, encoding="utf-8")
    return f"exit {done.returncode}: {(done.stdout + done.stderr).strip()[-300:]}"


def main(steps, seed, size, folder, without=""):
    """Make all parts; returns the exit code."""
    steps, seed, size, folder = int(steps), int(seed), int(size), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "monkey.jsonl"
    is_in, version, bad = state(), blender(), 0
    rows = [json.loads(line) for line in table.read_text(encoding="utf-8").splitlines()] if table.exists() else []
    done = {(row["blender"], row["state"], row["seed"], row["steps"]) for row in rows if not row["ended"]}
    for number in range(-(-steps // size)):
        some = min(size, steps - number * size)
        if (version, is_in, seed + number, some) in done:
            continue
        log = folder / f"monkey-{version}-{seed + number}.log"
        ended = part(some, seed + number, log, without)
        row = {"blender": version, "state": is_in, "seed": seed + number, "steps": some, "ended": ended}
        with table.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(f"Blender {version}, seed {seed + number}: {some} steps, {ended or 'nothing wrong'}", flush=True)
        bad += bool(ended)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
