"""Write the list of kernels, solver/kernels/signatures.json: run everything that can call one, in a new folder.

python tools/kernel_signatures.py [--tests]     some ten minutes on two cores; --tests: what tests of CI call, too
python tools/kernel_signatures.py --add TESTS   adds what these tests call, files or names of pytest, and the demo
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
# Compiled beside a run, which waits for none of it: it takes as long as all that the demo needs.
BESIDE = "solver.stepping.quiet."

# Tests that continuous integration runs.
IN_CI = "not slow(hours=True)"


class Reader(pickle.Unpickler):
    """Reads one record; `gone`: its types are of a module or class that only a test had."""

    gone = False

    def find_class(self, module, name):
        """A class by name, or one that takes anything where there is no such module."""
        try:
            return super().find_class(module, name)
        except (ImportError, AttributeError):
            self.gone = True
            return Gone


class Gone:
    """Stands for an object of a class that is not there."""

    def __init__(self, *arguments):
        pass

    def __setstate__(self, state):
        pass


def recorded(folder):
    """{(kernel, types): CPU time [s]} of what processes left in a folder."""
    found = {}
    for path in sorted(folder.glob("*.pickle")):
        with open(path, "rb") as file:
            while file.peek(1):
                reader = Reader(file)
                try:
                    key, seconds = reader.load()
                except (pickle.UnpicklingError, EOFError):
                    break  # what a killed process, or one on a full disk, left last
                if not reader.gone:
                    found[key] = max(seconds, found.get(key, 0.0))
    return found


def waited_for(folder):
    """`recorded` without what is compiled beside a run."""
    return {key: spent for key, spent in recorded(folder).items() if not key[0].startswith(BESIDE)}


def reached_by_uses(root):
    """{use: waited_for(...) of its command} of USES; root: a folder for what they write."""
    found = {}
    for use, command in USES.items():
        environment = {**os.environ, "STICTION_KERNELS": "store", "STICTION_RECORD": str(root / use)}
        subprocess.run([sys.executable, *command, str(root / "out")], check=True, cwd=ROOT, env=environment)
        found[use] = waited_for(root / use)
    return found


def main(tests):
    """Run, gather, write."""
    from stiction.solver.commands import kernel_jobs
    from stiction.solver.kernels import signatures

    with tempfile.TemporaryDirectory(prefix="stiction-signatures-") as name:
        root = Path(name)
        os.environ["STICTION_CACHE_DIR"] = str(root / "cache")
        reached = reached_by_uses(root)
        os.environ["STICTION_RECORD"] = str(root / "jobs")
        failed = kernel_jobs.run_jobs(Progress())
        if tests:
            subprocess.run([sys.executable, "-m", "pytest", "-n", "auto", "-q", "-m", IN_CI], cwd=ROOT, check=False)
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


def add(tests):
    """Add to the list what uses and tests call that is not in it; entries that are no longer there go."""
    os.environ["STICTION_KERNELS"] = "store"
    from stiction.solver.kernels import signatures

    with tempfile.TemporaryDirectory(prefix="stiction-signatures-") as name:
        command = [sys.executable, "-m", "pytest", "-n", "auto", "-q", "-m", IN_CI, *tests]
        if tests:
            subprocess.run(command, cwd=ROOT, check=False, env={**os.environ, "STICTION_RECORD": name})
        # Kernels of tests are recorded, too.
        sys.path += [str(folder) for folder in (ROOT / "tests", *(ROOT / "tests").iterdir()) if folder.is_dir()]
        found = recorded(Path(name))
        reached = reached_by_uses(Path(name) / "uses")
    for one in reached.values():
        found = {**one, **found}
    known = [one for one in signatures.read() if _fits(one)]
    names = {(one.kernel, one.arguments) for one in known}
    new = [signatures.Entry(kernel, types, round(seconds, 2), ()) for (kernel, types), seconds in found.items()
           if (kernel, types) not in names]  # fmt: skip
    new = [one for one in new if callable(one.dispatcher())]
    known, new = ([_marked(one, reached) for one in entries] for entries in (known, new))
    signatures.write(known + sorted(new, key=lambda one: (-one.seconds, one.kernel, str(one.arguments))))
    # Read back without those whose types only the tests have.
    kept = signatures.read()
    signatures.write(kept)
    print(f"{len(kept) - len(known)} kernels added")


def _marked(entry, reached):
    """The Entry with the uses that reach it by now added to those that it has."""
    key = (entry.kernel, entry.arguments)
    return entry._replace(uses=tuple(sorted({*entry.uses, *(use for use, one in reached.items() if key in one)})))


def _fits(entry):
    """Whether the sources have a kernel of an Entry that takes as many arguments."""
    found = entry.dispatcher()
    return callable(found) and found.py_func.__code__.co_argcount == len(entry.arguments)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--add", nargs="*", metavar="TESTS")
    given = parser.parse_args()
    if given.add is not None:
        add(given.add)
    else:
        main(given.tests)
