"""Write the list of kernels, solver/kernels/signatures.json: run everything that can call one, in a new folder.

python tools/kernel_signatures.py [--tests]     some ten minutes on two cores; --tests: what `make test` calls, too
"""

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

from stiction.solver.base.progress import Progress

ROOT = Path(__file__).resolve().parents[1]
# What is compiled alone, by name, and a command that calls it.
USES = {"demo": ("-m", "stiction", "demo", "--no-render", "--output")}


def recorded(folder):
    """{(kernel, types): CPU time [s]} of what processes left in a folder."""
    found = {}
    for path in sorted(folder.glob("*.pickle")):
        with open(path, "rb") as file:
            while file.peek(1):
                key, seconds = pickle.load(file)
                found[key] = max(seconds, found.get(key, 0.0))
    return found


def main(tests):
    """Run, gather, write."""
    from stiction.solver.commands import kernel_jobs
    from stiction.solver.kernels import signatures

    with tempfile.TemporaryDirectory(prefix="stiction-signatures-") as name:
        root = Path(name)
        os.environ["STICTION_CACHE_DIR"] = str(root / "cache")
        reached = {}
        for use, command in USES.items():
            os.environ["STICTION_RECORD"] = str(root / use)
            subprocess.run([sys.executable, *command, str(root / "out")], check=True, cwd=ROOT)
            reached[use] = recorded(root / use)
        os.environ["STICTION_RECORD"] = str(root / "jobs")
        failed = kernel_jobs.run_jobs(Progress())
        if tests:
            subprocess.run([sys.executable, "-m", "pytest", "-n", "auto", "-q"], cwd=ROOT, check=False)
        found = recorded(root / "jobs")
    for one in reached.values():
        for key, seconds in one.items():
            found[key] = max(seconds, found.get(key, 0.0))
    # What cost most when it came first calls most of the others.
    order = sorted(found, key=lambda key: (-found[key], key[0], str(key[1])))
    entries = [signatures.Entry(kernel, types, round(found[kernel, types], 2),
                                tuple(use for use, one in reached.items() if (kernel, types) in one))
               for kernel, types in order]  # fmt: skip
    entries = [one for one in entries if callable(one.dispatcher())]
    signatures.write(entries)
    print(f"{len(entries)} kernels; failed: {failed or 'none'}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", action="store_true")
    main(parser.parse_args().tests)
