"""What a study file may not say although each of its keys is of the right kind: refused when it is read, since what is
ignored, or found out by the last of a thousand runs, is worse."""

import math

from ...base.refusal import StudyError
from ..values import distinct, is_number, key_of, shown

# More runs than these are a slip of the pen, and as many tasks would not fit into memory.
MOST_RUNS = 1_000_000
# Runs of the first look of an adaptive study: at both ends and in the middle, so many each.
FIRST = 4


def check_values(value, key="study"):
    """Refuse what no run could take, anywhere in a parsed file: numbers that are none, dates, texts with a null."""
    if isinstance(value, dict):
        for name, entry in value.items():
            check_values(entry, f"{key}.{name}")
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            check_values(entry, f"{key}[{i}]")
    elif is_number(value) and not (-1e308 < value < 1e308):
        raise StudyError(f"{key}: is {value}; give a finite number")
    elif isinstance(value, str) and "\0" in value:
        raise StudyError(f"{key}: is {value!r}, which holds a null character; take it out")
    elif not isinstance(value, (bool, int, float, str)):
        raise StudyError(f"{key}: is {value}, a date or a time; give a number, a text, true, false, a list or a table")


def whole(data, schema):
    """The data with 4 for 4.0 where a schema wants a whole number: JSON Schema takes both, a count does not."""
    if schema.get("type") == "integer" and isinstance(data, float):
        return int(data)
    if isinstance(data, dict) and "properties" in schema:
        return {name: whole(entry, schema["properties"].get(name, {})) for name, entry in data.items()}
    return data


def check_rules(data):
    """Refuse keys that contradict each other, or that something else of the file leaves without effect."""
    for rule in (_scene, _parameters, _set_twice, _sampling, _adaptive, _sensitivity, _stop, _repeats):
        rule(data)


def _scene(data):
    scene = data["scene"]
    if "parameters" in scene and "name" not in scene:
        raise StudyError("study.scene.parameters: are arguments of a canonical scene, and a file takes none; give "
                         "[parameters.NAME] with a path")  # fmt: skip


def _repeated(values):
    """The first value that comes again, in words; None if none does."""
    seen = set()
    for value in values:
        if key_of(value) in seen:
            return shown(value)
        seen.add(key_of(value))
    return None


def _parameters(data):
    paths = {}
    for name, entry in data.get("parameters", {}).items():
        key = f"study.parameters.{name}"
        if (found := _repeated(entry.get("values", []))) is not None:
            raise StudyError(f"{key}.values: has {found} twice; give each value once, and more runs by repeats.count")
        if entry.get("logarithmic") and "values" in entry:
            raise StudyError(f"{key}.logarithmic: is for a range; leave it out, or give low and high")
        path = entry.get("path", name)
        if path in paths:
            raise StudyError(f"{key}: sets {path!r}, which parameter {paths[path]!r} sets, too; leave one of them out")
        paths[path] = name


def _varied(data):
    """{path: key of the study file} of all that differs from run to run."""
    found = {entry.get("path", name): f"study.parameters.{name}" for name, entry in data.get("parameters", {}).items()}
    if "adaptive" in data:
        found[data["adaptive"]["parameter"]] = "study.adaptive.parameter"
    for name in data.get("sensitivity", {}).get("around", {}):
        found.setdefault(data.get("parameters", {}).get(name, {}).get("path", name), f"study.sensitivity.around.{name}")
    return found


def _set_twice(data):
    varied = _varied(data)
    given = {name: f"study.scene.parameters.{name}" for name in data["scene"].get("parameters", {})}
    given |= {f"settings.{name}": f"study.settings.{name}" for name in data.get("settings", {})}
    seed = data.get("repeats", {}).get("path", "seed")
    for path, key in varied.items():
        if path in given:
            raise StudyError(f"{given[path]}: has no effect, since {key} sets it in every run; leave one of them out")
        if path == seed:
            raise StudyError(f"{key}: sets {path!r}, to which repeats.path gives each run's seed; leave one out")
    for name in ("steps_per_frame", "store_contacts", "contacts_of"):
        key = varied.get(f"settings.{name}") or given.get(f"settings.{name}")
        if key:
            raise StudyError(f"{key}: {name} has no effect, since a study keeps no frames; leave it out (--frames ROW "
                             "makes a run again with its frames)")  # fmt: skip
    if seed in given:
        raise StudyError(f"{given[seed]}: has no effect, since every run has its own seed; give repeats.seed")


def _sampling(data):
    sampling = data.get("sampling", {})
    kind = sampling.get("kind", "grid")
    for name in ("count", "seed"):
        if kind in ("grid", "list") and name in sampling:
            raise StudyError(f"study.sampling.{name}: has no effect with a {kind}; leave it out")
    points = sampling.get("points", [])
    if (found := _repeated(points)) is not None:
        raise StudyError(f"study.sampling.points: has {found} twice; give each once, and more runs by repeats.count")
    count = sampling.get("count", 1)
    if kind == "grid":
        count = math.prod(len(entry.get("values", [0])) for entry in data.get("parameters", {}).values())
    elif kind == "list":
        count = len(points)
    check_count(count * data.get("repeats", {}).get("count", 1))


def check_count(runs):
    """Refuse more runs than anyone could wait for."""
    if runs > MOST_RUNS:
        raise StudyError(f"study: has {runs} runs; give fewer values or repeats, up to {MOST_RUNS} runs")


def _adaptive(data):
    if "adaptive" not in data:
        return
    for table, key in (("sampling", "sampling"), ("sensitivity", "sensitivity")):
        if table in data:
            raise StudyError(f"study.{key}: has no effect, since an adaptive study finds its own points; leave it out")
    if "count" in data.get("repeats", {}):
        raise StudyError("study.repeats.count: has no effect, since an adaptive study makes as many runs as it needs; "
                         "give adaptive.most_runs")  # fmt: skip
    most = data["adaptive"].get("most_runs", 3 * FIRST)
    if most < 3 * FIRST:
        raise StudyError(f"study.adaptive.most_runs: is {most}; the first look takes {3 * FIRST}, give no fewer")
    check_count(data.get("quality", {}).get("repeats", 0))


def _sensitivity(data):
    plan = data.get("sensitivity")
    if plan is None:
        return
    around, names = plan["around"], plan.get("parameters", plan["around"])
    if not around or not names:
        key = "around" if not around else "parameters"
        raise StudyError(f"study.sensitivity.{key}: is empty; name at least one parameter")
    for name in names:
        if name not in around:
            raise StudyError(f"study.sensitivity.parameters: has {name!r}, which has no value in around; give one")
        value = around[name]
        if not is_number(value) or value == 0:
            raise StudyError(f"study.sensitivity.around.{name}: is {shown(value)}, of which no part can be taken; give "
                             "a number other than 0, or leave it out of sensitivity.parameters")  # fmt: skip
    if len(distinct(names)) < len(names):
        raise StudyError(f"study.sensitivity.parameters: has {_repeated(names)!r} twice; name each once")


def _stop(data):
    quiet, time = data.get("stop", {}).get("quiet"), data.get("settings", {}).get("time")
    # The default is no claim of the file: a study of rates may be shorter.
    if quiet is not None and is_number(time) and quiet >= time:
        raise StudyError(f"study.stop.quiet: is {shown(quiet)} s of a run of {shown(time)} s, so that none could end "
                         "as jammed; give less, or a longer settings.time")  # fmt: skip


def _repeats(data):
    path = data.get("repeats", {}).get("path", "seed")
    last = path.rpartition(".")[2]
    if "seed" not in last and last != "jitter":
        raise StudyError(f"study.repeats.path: is {path!r}, which takes no seed; give 'jitter' or a path to a seed")
