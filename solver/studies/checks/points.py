"""What no run could use is refused before any has begun: every point of a study is built, each fresh value compiled."""

import dataclasses
import inspect

import numpy as np

from ...base.refusal import SceneError, StudyError
from ...methods import UnknownMethod
from ...options import OptionError
from ...scene_io.scene_file import scene_digest, scene_to_json
from ...scene_io.scene_schema import check_schema
from ...scenes import SCENES
from ...simulation import compiled, step_settings
from ..measures import COLUMNS
from ..quality import WORDS
from ..store import RUN, VARIANT
from ..task import AS_GIVEN, EFFORT, HALF_STEP, scene_of
from ..values import is_number, key_of, point_key, shown_point
from ..watcher import Watcher

# What an argument of a canonical scene must be, by the type of its default.
KINDS = (
    (bool, "true or false", lambda value: isinstance(value, bool)),
    (int, "a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    (float, "a number", is_number),
    (str, "a text", lambda value: isinstance(value, str)),
    ((tuple, list), "a list", lambda value: isinstance(value, (tuple, list))),
)


# Points that are looked at before the first run; what others no run can be made of is found when they come.
LOOKED_AT = 500


def check_points(tasks, finer=False):
    """Refuse tasks that no run could be made of, by a StudyError that names the point: those of at most LOOKED_AT
    points, evenly among them. finer: whether points may be run again with half the step and more iterations, whose
    settings are looked at, too."""
    seen, points = set(), {}
    for task in tasks:
        points.setdefault((point_key(task.values), task.variant), task)
    every = list(points.values())
    chosen = every[:: max(1, -(-len(every) // LOOKED_AT))]
    for task in chosen if chosen[-1:] == every[-1:] else [*chosen, every[-1]]:
        fresh = {(name, key_of(value)) for name, value in task.values.items()} - seen
        try:
            _check_point(task, bool(fresh or not seen), finer)
        except StudyError:
            raise
        except (SceneError, OptionError, UnknownMethod) as error:
            raise StudyError(f"{_at(task)}: {error}") from None
        except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
            said = " ".join(str(error).split())
            raise StudyError(f"{_at(task)}: makes no scene ({type(error).__name__}: {said}); correct it") from None
        seen |= fresh or {None}
    first = next(iter(points.values()), None)
    if first is not None:
        _check_seeds(first, tasks)


def _at(task):
    """Which point a refusal is about."""
    return f"study at {shown_point(task.values)}" if task.values else "study"


def _check_point(task, fresh, finer):
    _check_names(task)
    _check_arguments(task)
    scene, options = scene_of(task)
    if not options.time > 0:
        raise StudyError(f"study.settings.time: is {options.time} s; give a time above 0")
    for variant in (HALF_STEP, EFFORT) if finer and task.variant == AS_GIVEN else ():
        _check_finer(task, variant)
    if not fresh:
        return
    check_schema(scene_to_json(scene, lambda mesh: "mesh.ply"))
    step_settings(options, *compiled(scene, options))
    _check_stop(task, scene, options)


def _check_finer(task, variant):
    """What the quality panel asks for: found out after all other runs otherwise."""
    try:
        scene_of(dataclasses.replace(task, variant=variant))[1].check()
    except OptionError as error:
        raise StudyError(f"{_at(task)}, with {WORDS[variant]}: {error}, or quality.cells = 0") from None


def _check_names(task):
    """Columns of the tables are the parameters' names beside those of the results."""
    for name in task.values:
        if name in (*COLUMNS, RUN, VARIANT) or not name.strip():
            raise StudyError(f"study.parameters.{name}: is a column of results.csv already; give it another name, and "
                             f"path = {name!r}")  # fmt: skip


def _check_arguments(task):
    """Arguments of a canonical scene are of the type of their defaults."""
    if task.scene.get("name") not in SCENES or "file" in task.scene:
        return
    given = dict(task.scene.get("parameters", {}))
    given |= {task.paths[name]: value for name, value in task.values.items()}
    for name, parameter in inspect.signature(SCENES[task.scene["name"]].build).parameters.items():
        kind = next((kind for kind in KINDS if isinstance(parameter.default, kind[0])), None)
        if name in given and kind is not None and not kind[2](given[name]):
            raise StudyError(f"{_at(task)}: {task.scene['name']}'s {name} is {given[name]!r}; give {kind[1]}")


def _check_stop(task, scene, options):
    watcher = Watcher(scene, options, task.stop, task.keep)
    if watcher.counter is None:
        raise StudyError("study.scene: has no counter, so nothing could be counted; add one where bodies leave")
    moving, count = int(np.count_nonzero(watcher.moving)), task.stop.get("count", 0)
    if count > moving:
        raise StudyError(f"study.stop.count: is {count}, of {moving} moving bodies; give at most as many")
    if task.shared is not None and not scene.gates:
        raise StudyError("study.fill: the scene has no gate, whose opening ends the fill; add one, or leave fill out")


def _check_seeds(first, tasks):
    """Refuse repeats that would all be the same run."""
    other = next((task for task in tasks if task.seed != first.seed), None)
    if other is None:
        return
    scene, again = (scene_of(dataclasses.replace(first, seed=seed))[0] for seed in (first.seed, other.seed))
    if scene_digest(scene) == scene_digest(again):
        raise StudyError(f"study.repeats: seeds {first.seed} and {other.seed} make the same scene, so that all repeats "
                         "would be one run; give repeats.path, or count = 1")  # fmt: skip
