"""Everything that can need a kernel, as jobs: what `make signatures` runs to find out which kernels there are.

What there is follows from the tables: a few steps of every canonical scene, every method on small problems, every
choice of every option of a run.
"""

import dataclasses
import importlib.util
import subprocess
import sys
import threading
import time

from ..base.processes import command_of, no_console
from ..base.threads import core_count

# Steps of a scene, the longest time they may take [s CPU], and the most bodies it may have: larger ones compile
# nothing else.
STEPS, LONGEST, LARGEST = 3, 2.0, 700
# The scene on which the choices of options are tried: convex shapes and meshes that touch.
TRIAL = "concave200"
# The one for options of deformable bodies, which are refused where there are none.
SOFT_TRIAL = "soft_drop"
# Scenes of which a whole run is made, with all that goes before its clock and after it: without and with meshes.
RUNS = ("drop10", TRIAL)
# Choices of options that are packages of their own, which need not be installed.
PACKAGES = ("clarabel",)
END = "end of job"
MODULE = "solver.commands.kernel_jobs"


def run_jobs(progress=None, todo=None):
    """Run jobs, all if none are given, each in the next of as many processes as there are cores.

    progress(jobs done, jobs in all) is called as they end. Returns the lines that say which failed and why.
    """
    pool = _Pool(jobs() if todo is None else todo, progress)
    pool.run(core_count())
    return pool.failed


def jobs():
    """(kind, name) of everything to compile."""
    from ..methods import METHODS
    from ..runs.simulation_options import SimulationOptions
    from ..scenes import SCENES
    from .kernel_trials import trials

    found = [("scene", name) for name in SCENES] + [("method", key) for key in METHODS]
    for key, entry in METHODS.items():
        found += [("choice", f"{key}.{name}={value}") for name, value in _choices(entry.options)]
    found += [("option", f"{name}={value}") for name, value in _choices(SimulationOptions)]
    found += [("run", name) for name in RUNS] + [("trial", name) for name in trials()]
    return found


def _choices(options):
    """(name, other value than the default's, as text) of all choices of a class of options."""
    for entry in dataclasses.fields(options):
        other = "no" if entry.default is True else "yes"
        choices = entry.metadata.get("choices") or ((other,) if entry.type in (bool, "bool") else ())
        yield from ((entry.name, choice) for choice in choices if choice != entry.default and _at_hand(choice))


def _at_hand(choice):
    """False for a choice that calls a package which is not there: nobody can make it."""
    return choice not in PACKAGES or importlib.util.find_spec(choice) is not None


class _Pool:
    """Workers, each a process, that take the next job as they finish one."""

    def __init__(self, todo, progress):
        self.todo, self.total, self.progress = list(reversed(todo)), len(todo), progress
        self.failed, self.done = [], 0

    def run(self, count):
        threads = [threading.Thread(target=self._work) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _work(self):
        process = subprocess.Popen(command_of(MODULE), text=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, **no_console())  # fmt: skip
        while self.todo:
            kind, name = self.todo.pop()
            self.failed += [f"{kind} {name}: {line}" for line in _answer(process, kind, name)]
            self.done += 1
            if self.progress:
                self.progress(self.done, self.total)
        process.stdin.close()
        process.wait()


def _answer(process, kind, name):
    """Have a worker do a job; returns the lines it has to say about it."""
    lines = []
    try:
        process.stdin.write(f"{kind} {name}\n")
        process.stdin.flush()
    except OSError:
        return ["the process that compiles has ended"]
    for line in process.stdout:
        if line.strip() == END:
            return lines
        lines.append(line.rstrip())
    return [*lines, f"the process that compiles ended with code {process.wait()}"]


def main():
    """The other processes: take jobs as lines on stdin, until there are no more. Returns the exit code."""
    for line in sys.stdin:
        kind, _, name = line.strip().partition(" ")
        try:
            KINDS[kind](name)
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
        print(END, flush=True)
    return 0


def _scene(name):
    from ..scenes import SCENES

    _steps(SCENES[name].build())


def _steps(scene, **changes):
    """Take the first steps of a scene, as a run would."""
    from ..simulation import compiled, options_for, step_settings, stepper

    options = options_for(scene, **changes)
    if len(scene.bodies) > LARGEST:
        return
    start = time.process_time()
    model, state = compiled(scene, options)
    settings, step = step_settings(options, model, state), stepper(options)
    for _ in range(STEPS):
        state = step(model, state, settings)[0]
        if time.process_time() - start > LONGEST:
            return


def _run(name):
    """A run of a few steps, as the command line and the panel do it."""
    from ..scenes import SCENES
    from ..simulation import options_for, simulate

    scene = SCENES[name].build()
    simulate(scene, options_for(scene, time=STEPS * options_for(scene).time_step))


def _method(key):
    from .. import methods
    from ..runs.warm_up import warm_up_method

    warm_up_method(key, methods.get_method(key).options())


def _choice(trial):
    """A choice of an option of a method, key.name=value, on small problems."""
    from .. import methods
    from ..runs.warm_up import warm_up_method

    key, _, text = trial.partition(".")
    name, _, value = text.partition("=")
    options = methods.get_method(key).options
    warm_up_method(key, options.from_strings(_needed_by(options, name) | {name: value}))


def _needed_by(options, name):
    """{name: value} of the option without which one of a class of options does not count, as text; {} for none."""
    needed = {entry.name: entry.metadata["only"] for entry in dataclasses.fields(options) if entry.metadata.get("only")}
    return {needed[name][0]: str(needed[name][1])} if name in needed else {}


def _trial(name):
    from .kernel_trials import trials

    trials()[name]()


def _option(trial):
    """A choice of an option of a run, name=value, on the scene for its trials."""
    scene, changes = scene_and_choice(trial)
    _steps(scene, **changes)


def scene_and_choice(trial):
    """(scene on which name=value, a choice of an option of a run, is tried, {name: value} with what it needs)."""
    from ..runs.simulation_options import SimulationOptions
    from ..scenes import SCENES

    name, _, text = trial.partition("=")
    needed = _needed_by(SimulationOptions, name)
    given = SimulationOptions.from_strings({**needed, name: text})
    changes = {one: getattr(given, one) for one in (*needed, name)}
    return SCENES[SOFT_TRIAL if name.startswith("soft_") else TRIAL].build(), changes


KINDS = {"scene": _scene, "method": _method, "option": _option, "choice": _choice, "run": _run, "trial": _trial}
