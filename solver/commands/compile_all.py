"""Compile all that any scene, method or option can need, on all cores, so that nobody waits for it later.

What there is to compile is the list of `kernels/signatures.py`. Every worker goes through it and takes what is neither
on disk nor another worker's; what two kernels call is compiled by one of them, and the other waits for that function.
"""

import subprocess
import sys
import threading
from contextlib import nullcontext

from ..base.lifeline import end_with_starter
from ..base.processes import command_of, lower_priority, no_console
from ..base.threads import core_count
from ..jit import KEEPER
from ..kernels.compiler.separate import without_entries
from ..kernels.load import ALL

MODULE = "solver.commands.compile_all"
# Says to a worker that it shall make none for calls from Python.
WITHOUT_ENTRIES = "--without-entries"


def compile_all(progress=None, use=ALL, entries=True):
    """Compile what is not on disk yet of the list; use: only what this use needs (`Entry.uses`); entries: for calls
    from Python, which a library has of its own.

    progress(done, in all) is called as kernels are ready, with what they are expected to take as weight [s]. Returns
    the lines that say which kernels failed and why.
    """
    how = () if entries else (WITHOUT_ENTRIES,)
    if KEEPER is None or KEEPER.is_complete(use, *how):
        return []
    processes = [subprocess.Popen(command_of(MODULE, "worker", use, *how), text=True, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, **no_console()) for _ in range(core_count())]  # fmt: skip
    gathered = _Gathered(progress)
    threads = [threading.Thread(target=gathered.read, args=(process,)) for process in processes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if not gathered.failed:
        KEEPER.remember_complete(use, *how)
    KEEPER.store.trim()
    return sorted(gathered.failed)


def compile_library(progress=None, use=ALL, folder=""):
    """Compile what a use needs, and link it into one library (`link_all`). Returns the lines that say what failed."""
    from ..kernels.library.link import c_compiler

    # Without a C compiler runs take kernels from the store.
    return compile_all(progress, use, entries=c_compiler() is None) or link_all(folder, use)


def link_all(folder="", use=ALL):
    """Link all that was compiled into one library in a folder, by default where runs of this package look for it.

    Returns the lines that say why there is none. Without a C compiler there is none, which is said: kernels come from
    the store then.
    """
    from ..kernels.compiling import processor
    from ..kernels.library.link import LinkError, NoCompilerError, link
    from ..kernels.load import place_of_own

    if KEEPER is None:
        return ["no library was made: it takes kernels that are compiled once each (STICTION_KERNELS=store)"]
    try:
        link(KEEPER, folder or place_of_own(), processor(), use)
    except NoCompilerError as error:
        print(f"stiction: {error}; kernels come from the store, which takes longer to start", file=sys.stderr)
        return [] if not folder else [f"no library was made: {error}"]
    except LinkError as error:
        return [f"no library was made: {error}"]
    return []


class _Gathered:
    """What workers say: lines `weight [s] in all`, `kernel weight` for one that is ready, `! why` for one that
    failed."""

    def __init__(self, progress):
        self.progress, self.failed, self.ready, self.total = progress, set(), {}, 0.0
        self._lock = threading.Lock()

    def read(self, process):
        """Read the lines of a worker until it ends."""
        for line in process.stdout:
            with self._lock:
                self._take(line.rstrip())
        if process.wait():
            self.failed.add(f"a process that compiles ended with code {process.returncode}")

    def _take(self, line):
        name, _, text = line.partition(" ")
        if name == "!":
            self.failed.add(text)
        elif name == ALL:
            self.total = float(text)
        else:
            self.ready[name] = float(text)
        if self.progress and self.total:
            self.progress(min(round(sum(self.ready.values())), round(self.total)), round(self.total))


def main(task, use=ALL, *how):
    """The other processes: `worker` compiles and says what is ready, without entries where `how` says so; `everything`
    starts workers, `quietly` in the background, `library` links what they compiled in the folder that takes the place
    of `use`. Returns the exit code."""
    if task == "worker":
        end_with_starter()
        with without_entries() if WITHOUT_ENTRIES in how else nullcontext():
            _work(use)
        return 0
    if task == "quietly":
        lower_priority()
    failed = compile_library(folder=use) if task == "library" else compile_all()
    for line in failed:
        print(line, file=sys.stderr)
    return 1 if failed else 0


def _work(use):
    """Go through the list, and then again through what others were at."""
    from ..kernels.signatures import read

    entries = list(enumerate(read(use)))
    print(ALL, sum(one.seconds for _, one in entries), flush=True)
    for leave in (True, False):
        left = []
        for place, entry in entries:
            dispatcher = entry.dispatcher()
            if dispatcher is not None and leave and KEEPER.is_another_at(dispatcher.py_func, entry.arguments):
                left.append((place, entry))
                continue
            try:
                if dispatcher is not None:
                    dispatcher.compile(entry.arguments)
                print(f"{place}:{entry.kernel.replace(' ', '')} {entry.seconds}", flush=True)
            except Exception as error:
                print(f"! {entry.kernel}: {type(error).__name__}: {' '.join(str(error).split())[:300]}", flush=True)
        entries = left
