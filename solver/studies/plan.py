"""From a Study to its Tasks."""

from dataclasses import asdict, replace
from functools import cache

from ..scene_io.scene_file import load_scene, scene_digest
from .checks.rules import check_count
from .sampling import points_of
from .task import AS_GIVEN, EFFORT, HALF_STEP, Task


def tasks_of(study):
    """Tasks of the study's own points, each with its repeats, in an order that depends on the study alone."""
    points = points_of(study.parameters, study.sampling)
    check_count(len(points) * study.repeats)
    return tasks_at(study, [(point, repeat) for point in points for repeat in range(study.repeats)])


def tasks_at(study, places, variant=AS_GIVEN):
    """Tasks of `places`: points {name: value} with the number of a repeat; what all have in common is there once."""
    shared = {}
    for point, _ in places:
        names = tuple(point)
        if names not in shared:
            shared[names] = task_at(study, point, 0, variant)
    return [replace(shared[tuple(point)], values=point, seed=study.first_seed + repeat) for point, repeat in places]


def task_at(study, point, repeat, variant=AS_GIVEN, keep=None):
    """The Task of a point {name: value} and the number of a repeat; seeds are the same at every point."""
    paths = {parameter.name: parameter.path for parameter in study.parameters}
    if study.adaptive is not None:
        paths[study.adaptive.parameter] = study.adaptive.parameter
    paths |= {name: name for name in point if name not in paths}
    scene = {**study.scene, "folder": str(study.folder), **_content(study)}
    return Task(
        scene, point, paths, study.first_seed + repeat, study.seed_path,
        study.settings, asdict(study.stop), study.keep if keep is None else keep, variant, study.fill,
    )  # fmt: skip


def _content(study):
    """{"digest": hash} of what a study's scene file says: other runs have other names once it is edited."""
    if "file" not in study.scene:
        return {}
    path = study.folder / study.scene["file"]
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        # Reading it will say what is wrong.
        changed = 0
    return {"digest": _digest(path, changed)}


@cache
def _digest(path, _changed):
    return scene_digest(load_scene(path))


def quality_tasks(study, cells):
    """Tasks of the points `cells` with half the time step and with five times the iterations."""
    count = min(study.quality.repeats, study.repeats) if study.adaptive is None else study.quality.repeats
    return [
        task for variant in (HALF_STEP, EFFORT)
        for task in tasks_at(study, [(point, repeat) for point in cells for repeat in range(count)], variant)
    ]  # fmt: skip


def sensitivity_tasks(study):
    """Tasks of the points of a tornado: each of the parameters a little less and a little more than `around`."""
    if not study.sensitivity:
        return []
    around, change = dict(study.sensitivity.get("around", {})), study.sensitivity["change"]
    tasks = [task_at(study, around, repeat) for repeat in range(study.repeats)]
    for name in study.sensitivity.get("parameters", around):
        for factor in (1 - change, 1 + change):
            point = {**around, name: around[name] * factor}
            tasks += [task_at(study, point, repeat) for repeat in range(study.repeats)]
    return tasks


def in_groups(tasks, every=None):
    """Lists of tasks that start from the same fill, in order of first mention. The fill is that of the first among
    `every` (left out: `tasks`), however many of these are done: a study that goes on makes the same one again."""
    first, groups = {}, {}
    for task in tasks if every is None else every:
        if task.shared is not None:
            first.setdefault(task.fill_key, task.values)
    for task in tasks:
        if task.shared is not None:
            task = replace(task, filled=first.get(task.fill_key))
        groups.setdefault(task.fill_key, []).append(task)
    return list(groups.values())


def with_scene(study, spec):
    """The study with another `scene` table."""
    return replace(study, scene=spec)
