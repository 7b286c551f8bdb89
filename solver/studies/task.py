"""One run of a study: what it is, the scene it builds, and doing it. Tasks are plain data, so that they travel."""

import dataclasses
import hashlib
import inspect
import json
import time
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from ..base.records import record
from ..base.refusal import SceneError, StudyError
from ..methods import get_method
from ..options import OptionError
from ..runs.simulation_options import SimulationOptions
from ..scene import Motion
from ..scene_io.scene_file import load_scene
from ..scenes import SCENES
from ..simulation import VERSION, options_for, simulate
from .measures import LOST, details_of, failed_row, row_of
from .paths import with_value
from .watcher import OPENED, Watcher

# How a run differs from the study's own settings: to see whether the answer depends on them.
AS_GIVEN, HALF_STEP, EFFORT = "", "half_step", "five_times_iterations"
EFFORT_FACTOR = 5
# Largest shift of a body from its place, in parts of its size, where a scene has no seed of its own.
JITTER = 0.03


@record
class Task:
    """One run. scene, settings, stop, keep: as in the study; values {column: value}; paths {column: path}; shared:
    names of the parameters that the fill depends on, None if it is not shared with other runs; filled: values of the
    run that the shared fill is made with, None for its own."""

    scene: dict
    values: dict
    paths: dict
    seed: int
    seed_path: str
    settings: dict
    stop: dict
    keep: tuple
    variant: str = AS_GIVEN
    shared: tuple | None = None
    filled: dict | None = None

    @cached_property
    def key(self):
        """Name of the run: a hash of everything that its result depends on."""
        record = {entry.name: getattr(self, entry.name) for entry in dataclasses.fields(self)} | {"version": VERSION}
        # Where a scene file lies does not matter; what it says does, and is in its digest.
        left_out = ("folder", "file") if "digest" in self.scene else ("folder",)
        record["scene"] = {key: value for key, value in self.scene.items() if key not in left_out}
        # What is kept of a run does not change it.
        record.pop("keep")
        if self.filled is None:
            record.pop("filled")
        return hashlib.sha256(json.dumps(record, sort_keys=True, default=str).encode()).hexdigest()[:20]

    @property
    def fill_key(self):
        """Tasks of equal keys start from the same fill; unique where fills are not shared."""
        if self.shared is None:
            return self.key
        values = {name: self.values.get(name) for name in self.shared}
        return json.dumps([values, self.seed, self.variant, self.settings], sort_keys=True, default=str)


def base_scene(spec, arguments):
    """The Scene of a study's `scene` table with builder arguments of a canonical one."""
    if "file" in spec:
        path = _path_in(spec)
        return _loaded(path, path.stat().st_mtime_ns) if path.is_file() else load_scene(path)
    if spec["name"] not in SCENES:
        raise StudyError(f"study.scene.name: is {spec['name']!r}; choose one of {', '.join(SCENES)}")
    try:
        return SCENES[spec["name"]].build(**arguments)
    except TypeError as error:
        raise StudyError(f"study.scene {spec['name']!r}: {error}; it takes {', '.join(builder_names(spec))}") from None


def _path_in(spec):
    return Path(spec.get("folder", ".")) / spec["file"]


@lru_cache(maxsize=4)
def _loaded(path, _changed):
    """The Scene of a file, read once for all points of a study."""
    return load_scene(path)


def builder_names(spec):
    """Names of the arguments of a canonical scene's builder; none of a scene file."""
    if "file" in spec or spec.get("name") not in SCENES:
        return ()
    return tuple(inspect.signature(SCENES[spec["name"]].build).parameters)


def scene_of(task, values=None):
    """(Scene, SimulationOptions) of a task, with other `values` where given."""
    values = task.values if values is None else values
    takes = builder_names(task.scene)
    arguments, later, options = dict(task.scene.get("parameters", {})), [], dict(task.settings)
    for name, value in values.items():
        path = task.paths[name]
        if path in takes:
            arguments[path] = value
        elif path.startswith("settings."):
            options[path.removeprefix("settings.")] = value
        else:
            later.append((path, value))
    if task.seed_path in takes:
        arguments[task.seed_path] = task.seed
    scene = base_scene(task.scene, arguments)
    for path, value in later:
        scene = with_value(scene, path, value)
    if task.seed_path not in takes:
        scene = _seeded(scene, task)
    return scene, _options(scene, options, task.variant)


def _seeded(scene, task):
    """The scene with the task's seed where its path says, or with its moving bodies shifted at random."""
    if task.seed_path not in ("seed", "jitter"):
        return with_value(scene, task.seed_path, task.seed)
    if task.seed_path == "seed" and scene.emitters:
        return with_value(scene, "emitters.*.seed", task.seed)
    rng = np.random.default_rng(task.seed)
    return dataclasses.replace(scene, bodies=tuple(_shifted(body, rng) for body in scene.bodies))


def _shifted(body, rng):
    if body.motion != Motion.DYNAMIC:
        return body
    points = np.asarray(body.shape.surface()[0])
    size = 0.5 * float(np.ptp(points, axis=0).min())
    position = np.asarray(body.position) + JITTER * size * rng.uniform(-1.0, 1.0, 3)
    return dataclasses.replace(body, position=tuple(position.tolist()))


def _options(scene, settings, variant):
    known = [entry.name for entry in dataclasses.fields(SimulationOptions)]
    for name in settings:
        if name not in known:
            raise StudyError(f"study.settings.{name}: unknown; known are {', '.join(known)}")
    options = options_for(scene, **{"threads": 1, **settings})
    changes = {}
    if variant == HALF_STEP:
        changes = {"time_step": 0.5 * options.time_step}
    elif variant == EFFORT:
        changes = _more_effort(options)
    return dataclasses.replace(options, **changes)


def _more_effort(options):
    """Options with five times the iterations, and aims as much tighter, so that they are used."""
    known = {entry.name for entry in dataclasses.fields(get_method(options.method).options)}
    if options.tolerance:
        # A stated tolerance is reached at any effort, which an option beside it would contradict.
        known -= {"effort", "acceptable"}
    changes = {
        "accuracy": options.accuracy / EFFORT_FACTOR, "tolerance": options.tolerance / EFFORT_FACTOR,
        "max_iterations": EFFORT_FACTOR * options.max_iterations,
    }  # fmt: skip
    if "effort" in known:
        changes["effort"] = EFFORT_FACTOR * options.effort
    if "acceptable" in known:
        changes["acceptable"] = options.acceptable / EFFORT_FACTOR
    return changes


class OverLimit(Exception):
    """A run that took more CPU time than it may."""


def perform(tasks, limit=0.0):
    """Results of tasks with one fill_key, see performing."""
    return list(performing(tasks, limit))


def performing(tasks, limit=0.0):
    """Results of tasks with one fill_key, one after another: dicts {"run", "row", "detail"}; a task that fails has a
    row that says so. limit: CPU seconds that a run may take; 0: any."""
    fill = None
    for task in tasks:
        began = time.process_time()
        try:
            if task.shared is not None and fill is None:
                fill = fill_of(task, limit)
            row, detail = _performed(task, fill, limit)
        except (SceneError, OptionError, StudyError) as error:
            row, detail = failed_row("refused", str(error)), {}
        except OverLimit:
            message = f"took more than {limit:g} s of CPU time (--run-limit); --resume with more makes it again"
            row, detail = failed_row(LOST, message), {}
        except (ArithmeticError, ValueError, np.linalg.LinAlgError, MemoryError) as error:
            row, detail = failed_row("failed", f"{type(error).__name__}: {error}"), {}
        if row["cpu_s"] == "":
            row["cpu_s"] = round(time.process_time() - began, 3)
        yield result_of(task, row, detail)


def result_of(task, row, detail):
    """A result, as it is stored."""
    return {"run": task.key, "variant": task.variant, "values": task.values, "seed": task.seed, "row": row,
            "detail": detail}  # fmt: skip


def _limited(watcher, limit):
    """The watcher, for a run of `limit` s of CPU time from its first step on, without compilation."""
    if not limit:
        return watcher
    end = []

    def watch(*step):
        if not end:
            end.append(time.process_time() + limit)
        if time.process_time() > end[0]:
            raise OverLimit
        return watcher(*step)

    return watch


def fill_of(task, limit=0.0):
    """The Trajectory of a fill that several runs start from: up to the opening of the gate, with the parameters that
    are not shared as in the first of the runs."""
    scene, options = scene_of(task, task.filled)
    watcher = Watcher(scene, options, {**task.stop, "until": OPENED}, ())
    return _to_the_end(simulate(scene, _one_frame(options), watch=_limited(watcher, limit)))


def prepared(task, fill):
    """(Scene, SimulationOptions) of a task that begins with a fill, or with none: after one the gates are open."""
    scene, options = scene_of(task)
    if fill is not None:
        gates = tuple(dataclasses.replace(gate, time=0.0, speed=None) for gate in scene.gates)
        scene = dataclasses.replace(scene, gates=gates)
    return scene, options


def _performed(task, fill, limit):
    scene, options = prepared(task, fill)
    watcher = Watcher(scene, options, task.stop, task.keep)
    run = _to_the_end(simulate(scene, _one_frame(options), start=fill, watch=_limited(watcher, limit)))
    return row_of(watcher, run), details_of(watcher, run, task.keep)


def _to_the_end(run):
    """A Trajectory that no fault of the program ended."""
    if run.fault:
        raise ArithmeticError(run.fault)
    return run


def _one_frame(options):
    """The options with no more frames than must be: a study keeps none."""
    steps = max(1, int(np.ceil(options.time / options.time_step)))
    return dataclasses.replace(options, steps_per_frame=min(steps, 10_000))
