"""The monkey's steps in parts: each has a seed and a Blender of its own, so that a crash ends its part alone.

    PYTHON tests/blender/monkey_parts.py STEPS SEED PART FOLDER [STEP,STEP to leave out [SUITE]]

PYTHON's module bpy says which Blender it is, SUITE whose Debian's Blender is used instead, in a real window, which
leaves out its own list of steps. FOLDER/monkey.jsonl gets a line a part: Blender, state of the extension, seed, steps,
how it ended and what was said last; a part that went well in this Blender and state is not made again. Seeds count up
from SEED. Exit code 1 if a part went wrong; its log lies beside.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Seconds after which a part of a hundred steps hangs.
LONGEST = 1200.0
# Width and height of a window: what is small is drawn quickly.
SMALL = "640 360"


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


def of_module(steps, seed, log, without):
    """Command and environment of a part in PYTHON's module."""
    return [sys.executable, str(ROOT / "tests/blender/monkey.py"), str(steps), str(seed), str(log), without], {}


def of_window(suite):
    """As `of_module`, in a real window of a Debian's Blender."""
    built = [sys.executable, str(ROOT / "tools/build_extension.py"), "--wheels", "--python", "any", "--output", "build"]
    archive = os.environ.get("ZIP")
    if not archive:
        archive = subprocess.run(built, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    def command(steps, seed, _log, _without):
        walk = {"WALK": "tests/gui/monkey_walk.py", "SUITE": suite, "STEPS": steps, "SEED": seed, "SIZE": SMALL,
                "LONGEST": LONGEST * max(1.0, steps / 100), "ZIP": archive}  # fmt: skip
        return ["sh", str(ROOT / "tools/test_gui.sh")], {name: str(value) for name, value in walk.items()}

    return command


def part(command, environment, log, longest):
    """Make a part; returns (how it ended, "" for well; what it said last)."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=longest, env=os.environ | environment)
    except subprocess.TimeoutExpired:
        return "hangs", ""
    said = done.stdout + done.stderr
    log.with_suffix(".said").write_text(said, encoding="utf-8")
    if "WALK" in environment and (ROOT / "out" / "gui_monkey.log").exists():
        shutil.copy(ROOT / "out" / "gui_monkey.log", log)
    last = next((line for line in reversed(done.stdout.splitlines()) if "seed" in line), "")
    traces = "Traceback (most recent call last)" in said
    return ("" if done.returncode == 0 and not traces else f"exit {done.returncode}: {said.strip()[-300:]}"), last


def main(steps, seed, size, folder, without="", window=""):
    """Make all parts; returns the exit code."""
    steps, seed, size, folder = int(steps), int(seed), int(size), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    table, bad = folder / "monkey.jsonl", 0
    is_in, where = state(), f"window-{window}" if window else blender()
    rows = [json.loads(line) for line in table.read_text(encoding="utf-8").splitlines()] if table.exists() else []
    done = {(row["blender"], row["state"], row["seed"], row["steps"]) for row in rows if not row["ended"]}
    command_of = of_window(window) if window else of_module
    for first in range(0, steps, size):
        some, own = min(size, steps - first), seed + first // size
        if (where, is_in, own, some) in done:
            continue
        log = folder / f"monkey-{where}-{own}.log"
        ended, said = part(*command_of(some, own, log, without), log, LONGEST * max(1.0, some / 100))
        row = {"blender": where, "state": is_in, "seed": own, "steps": some, "ended": ended, "said": said}
        with table.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(f"Blender {where}, seed {own}: {some} steps, {ended or 'nothing wrong'}", flush=True)
        bad += bool(ended)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
