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
    return [task_at(study, point, repeat) for point in points for repeat in range(study.repeats)]


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
        task_at(study, point, repeat, variant)
        for point in cells for variant in (HALF_STEP, EFFORT) for repeat in range(count)
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


def in_groups(tasks):
    """Lists of tasks that start from the same fill, in order of first mention."""
    groups = {}
    for task in tasks:
        groups.setdefault(task.fill_key, []).append(task)
    return list(groups.values())


def with_scene(study, spec):
    """The study with another `scene` table."""
    return replace(study, scene=spec)
