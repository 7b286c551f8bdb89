"""From a Study to its Tasks."""

from dataclasses import asdict, replace
from functools import cache

from ..scene_io.scene_file import load_scene, scene_digest
from .checks.rules import check_count
from .sampling import points_of
from .task import AS_GIVEN, EFFORT, HALF_STEP, Task
from .values import key_of


def tasks_of(study):
    """Tasks of the study's own points, each with its repeats, in an order that depends on the study alone."""
    points = points_of(study.parameters, study.sampling)
    check_count(len(points) * study.repeats)
    return tasks_at(study, [(point, repeat) for point in points for repeat in range(study.repeats)])


def own_tasks(study):
    """Tasks of all points of a study that is not adaptive: its own, and those of its tornado, each once."""
    return unique([*tasks_of(study), *sensitivity_tasks(study)])


def unique(tasks):
    """Tasks without those that come again."""
    return list({task.key: task for task in tasks}.values())


def tasks_at(study, places, variant=AS_GIVEN):
    """Tasks of `places`: points {name: value} with the number of a repeat; what all have in common is there once."""
    shared, firsts = {}, _first_points(study)
    for point, _ in places:
        names = tuple(point)
        if names not in shared:
            shared[names] = _task(study, point, variant)
    return [
        replace(shared[tuple(point)], values=point, seed=study.first_seed + repeat,
                filled=_filled(study, firsts, point))
        for point, repeat in places
    ]  # fmt: skip


def task_at(study, point, repeat, variant=AS_GIVEN):
    """The Task of a point {name: value} and the number of a repeat; seeds are the same at every point."""
    return tasks_at(study, [(point, repeat)], variant)[0]


def _task(study, point, variant):
    paths = {parameter.name: parameter.path for parameter in study.parameters}
    if study.adaptive is not None:
        paths[study.adaptive.parameter] = study.adaptive.parameter
    paths |= {name: name for name in point if name not in paths}
    scene = {**study.scene, "folder": str(study.folder), **_content(study)}
    return Task(
        scene, point, paths, study.first_seed, study.seed_path, study.settings, asdict(study.stop), study.keep, variant,
        study.fill,
    )  # fmt: skip


def _first_points(study):
    """{shared values of a fill: the study's first point that has them}: a fill is made with what that point says, in
    whatever order, and in however many goes, its runs are made."""
    if study.fill is None:
        return {}
    if study.adaptive is not None:
        points = [{study.adaptive.parameter: study.adaptive.low}]
    else:
        points = [*points_of(study.parameters, study.sampling), *_sensitivity_points(study)]
    firsts = {}
    for point in points:
        firsts.setdefault(_shared_values(study, point), point)
    return firsts


def _shared_values(study, point):
    return tuple(key_of(point.get(name)) for name in study.fill)


def _filled(study, firsts, point):
    """What the fill of a point is made with; None for its own values."""
    return None if study.fill is None else firsts.get(_shared_values(study, point))


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
    """Tasks of the points of a tornado."""
    points = _sensitivity_points(study)
    return tasks_at(study, [(point, repeat) for point in points for repeat in range(study.repeats)])


def _sensitivity_points(study):
    """Points of a tornado: `around`, and each of the parameters a little less and a little more than there."""
    if not study.sensitivity:
        return []
    around, change = dict(study.sensitivity.get("around", {})), study.sensitivity["change"]
    return [around, *({**around, name: around[name] * factor} for name in study.sensitivity.get("parameters", around)
                      for factor in (1 - change, 1 + change))]  # fmt: skip


def in_groups(tasks):
    """Lists of tasks that start from the same fill, in order of first mention."""
    groups = {}
    for task in tasks:
        groups.setdefault(task.fill_key, []).append(task)
    return list(groups.values())


def with_scene(study, spec):
    """The study with another `scene` table."""
    return replace(study, scene=spec)
