"""Study: what a study file says, checked; and reading one."""

import math
import tomllib
from dataclasses import field
from functools import cache
from pathlib import Path

from ..base.records import record
from ..base.refusal import StudyError
from ..scene_io.scene_schema import misfit
from .checks.rules import check_rules, check_values, whole
from .checks.schema import STUDY_SCHEMA
from .sampling import MOST_DIMENSIONS, points_counted
from .values import is_number, key_of, shown


@record
class Parameter:
    """One thing that is varied. name: its column; path: what it sets, see paths.py; values of a grid, or low and high
    of a sampled range (logarithmic: evenly in the logarithm)."""

    name: str
    path: str
    values: tuple = ()
    low: float = math.nan
    high: float = math.nan
    logarithmic: bool = False
    label: str = ""


@record
class Sampling:
    """kind: one of SAMPLINGS; count of points and seed of the random ones; points of a list, {parameter: value}."""

    kind: str = "grid"
    count: int = 0
    seed: int = 1
    points: tuple = ()


@record
class Stop:
    """When a run ends: jammed, if nothing has passed the counter for `quiet` [s] and all that is left is slower than
    `speed` [m/s]; emptied, if nothing is left to pass it; count, once so many have passed (0: never)."""

    counter: str = ""
    quiet: float = 1.5
    speed: float = 0.05
    emptied: bool = True
    count: int = 0


@record
class Quality:
    """What a study must hold to be trusted, and how it is reported.

    cells: points repeated with half the time step and with five times the iterations; repeats: runs of each (0: none).
    Largest overlap as part of the smallest body's radius, largest residual as part of what gravity gives in a step,
    energy that appears from nowhere as part of what there is to lose, least share of steps accepted; decided: least
    share of a point's runs that end before their time, which say whether they jam.
    """

    cells: int = 1
    repeats: int = 10
    overlap: float = 0.05
    residual: float = 0.1
    energy: float = 0.02
    accepted: float = 0.98
    decided: float = 0.9


@record
class Adaptive:
    """Runs go where the answer is uncertain: the value of `parameter` between low and high at which the probability of
    a jam is `target` is found to `tolerance` (part of the value); a point is left once its Wilson interval is narrower
    than `width`; batch: runs a round; most_runs: an end in any case."""

    parameter: str
    low: float
    high: float
    target: float = 0.5
    tolerance: float = 0.05
    width: float = 0.3
    batch: int = 16
    most_runs: int = 600


@record
class Study:
    """A study as its file says it; see docs/studies.md for the keys."""

    name: str
    scene: dict
    folder: Path = Path(".")
    description: str = ""
    settings: dict = field(default_factory=dict)
    parameters: tuple = ()
    sampling: Sampling = Sampling()
    repeats: int = 1
    first_seed: int = 1000
    seed_path: str = "seed"
    fill: tuple | None = None
    stop: Stop = Stop()
    keep: tuple = ("curve",)
    quality: Quality = Quality()
    adaptive: Adaptive | None = None
    sensitivity: dict = field(default_factory=dict)
    report: dict = field(default_factory=dict)


def load_study(path):
    """Return the Study of a TOML file; StudyError names the key, its value and what is allowed."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StudyError(f"study file {path}: cannot be read ({error.strerror}); give a .toml file") from None
    except ValueError as error:
        raise StudyError(f"study file {path}: cannot be read ({error}); give a text in UTF-8") from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"study file {path}: not TOML ({error}); correct that place") from None
    except RecursionError:
        raise StudyError(f"study file {path}: nested too deeply to read; make it flatter") from None
    return study_from_data(data, path.parent, path.stem)


@cache
def _misfit():
    return misfit(STUDY_SCHEMA, "study")


def study_from_data(data, folder=".", name="study", checked=True):
    """Return the Study of a parsed study file; scene files are looked up in `folder`. checked=False: its shape is known
    to fit the schema, as where the library that checks is not installed."""
    if checked and (sentence := _misfit()(data)):
        raise StudyError(sentence)
    check_values(data)
    data = whole(data, STUDY_SCHEMA)
    check_rules(data)
    given = [key for key in ("name", "file", "blend") if key in data["scene"]]
    if len(given) != 1:
        raise StudyError(f"study.scene: has {' and '.join(given) or 'no scene'}; give one of name, file, blend")
    listed = data.get("sampling", {}).get("kind") == "list"
    parameters = tuple(_parameter(key, entry, listed) for key, entry in data.get("parameters", {}).items())
    repeats = data.get("repeats", {})
    study = Study(
        data.get("name", name), data["scene"], Path(folder), data.get("description", ""), data.get("settings", {}),
        parameters, _sampling(data.get("sampling", {}), parameters),
        repeats.get("count", 1), repeats.get("seed", 1000), repeats.get("path", "seed"),
        _fill(data.get("fill"), parameters), Stop(**data.get("stop", {})), tuple(data.get("keep", ["curve"])),
        Quality(**data.get("quality", {})), _adaptive(data.get("adaptive"), parameters), _sensitivity(data, parameters),
        data.get("report", {}),
    )  # fmt: skip
    _check_report(study)
    _check_cells(study, data)
    return study


def _parameter(name, entry, listed):
    """listed: its values are those of the points of a list, within values or a range where it has one."""
    key = f"study.parameters.{name}"
    values = tuple(entry.get("values", ()))
    ranged = "low" in entry or "high" in entry
    if bool(values) == ranged and (ranged or not listed):
        found = "both values and a range" if ranged else "no values"
        raise StudyError(f"{key}: has {found}; give values, or low and high")
    if ranged and not entry.get("low", math.inf) < entry.get("high", -math.inf):
        raise StudyError(f"{key}: low is {entry.get('low')}, high is {entry.get('high')}; give low below high")
    if entry.get("logarithmic") and not entry.get("low", 0.0) > 0:
        raise StudyError(f"{key}.low: is {entry.get('low')}; a logarithmic range needs low above 0")
    return Parameter(
        name, entry.get("path", name), values, entry.get("low", math.nan), entry.get("high", math.nan),
        entry.get("logarithmic", False), entry.get("label", name),
    )  # fmt: skip


def _sampling(entry, parameters):
    kind = entry.get("kind", "grid")
    if kind in ("latin_hypercube", "sobol") and "count" not in entry:
        raise StudyError(f"study.sampling: {kind} has no 'count'; add it")
    if kind == "sobol" and len(parameters) > MOST_DIMENSIONS:
        raise StudyError(
            f"study.sampling: sobol is for up to {MOST_DIMENSIONS} parameters, there are {len(parameters)}; take "
            "latin_hypercube"
        )
    for parameter in parameters:
        if kind == "grid" and not parameter.values:
            raise StudyError(f"study.parameters.{parameter.name}: has a range; a grid needs values")
    points = tuple(entry.get("points", ()))
    if (kind == "list") != bool(points):
        raise StudyError("study.sampling.points: a list needs points, and nothing else takes them")
    for i, point in enumerate(points):
        if set(point) != {parameter.name for parameter in parameters}:
            names = ", ".join(parameter.name for parameter in parameters)
            raise StudyError(f"study.sampling.points[{i}]: is {point!r}; give a value for each of {names}")
        for parameter in parameters:
            _check_listed(parameter, point[parameter.name], i)
    return Sampling(kind, entry.get("count", 0), entry.get("seed", 1), points)


def _check_listed(parameter, value, i):
    """Refuse the value of point i of a list outside the values or the range that its parameter states."""
    key = f"study.sampling.points[{i}].{parameter.name}: is {shown(value)}"
    if parameter.values and key_of(value) not in map(key_of, parameter.values):
        listed = ", ".join(map(shown, parameter.values))
        raise StudyError(f"{key}, which is not among the parameter's values {listed}; add it there, or leave them out")
    ranged = parameter.low < parameter.high
    if ranged and not (is_number(value) and parameter.low <= value <= parameter.high):
        raise StudyError(f"{key}, outside of the parameter's range {shown(parameter.low)} to {shown(parameter.high)}; "
                         "change one of them")  # fmt: skip


def _fill(entry, parameters):
    if entry is None:
        return None
    known = [parameter.name for parameter in parameters]
    for name in entry["shared"]:
        if name not in known:
            raise StudyError(f"study.fill.shared: has {name!r}; choose from the parameters {', '.join(known)}")
    return tuple(entry["shared"])


def _adaptive(entry, parameters):
    if entry is None:
        return None
    adaptive = Adaptive(**entry)
    if parameters:
        listed = ", ".join(parameter.name for parameter in parameters)
        raise StudyError(f"study.parameters: has {listed}; an adaptive study varies adaptive.parameter alone: give the "
                         "others in scene.parameters")  # fmt: skip
    if not adaptive.low < adaptive.high:
        raise StudyError(f"study.adaptive: low is {adaptive.low}, high is {adaptive.high}; give low below high")
    return adaptive


def _sensitivity(data, parameters):
    """The sensitivity of a study, its numbers as the parameters have them: 3 and 3.0 are one point."""
    entry = data.get("sensitivity", {})
    known = {parameter.name: {key_of(value): value for value in parameter.values} for parameter in parameters}
    around = {name: known.get(name, {}).get(key_of(value), value) for name, value in entry.get("around", {}).items()}
    return {**entry, "around": around} if entry else {}


def _check_cells(study, data):
    """Refuse more points at finer settings than there are points, and points without runs or runs without points."""
    given = data.get("quality", {})
    for key, other in (("cells", "repeats"), ("repeats", "cells")):
        if given.get(key) and given.get(other) == 0:
            raise StudyError(f"study.quality.{key}: has no effect, since quality.{other} is 0; leave one of them out")
    cells, points = given.get("cells"), points_counted(study.parameters, study.sampling)
    if study.sensitivity:
        around = study.sensitivity["around"]
        points += 1 + 2 * len(study.sensitivity.get("parameters", around))
    if cells and study.adaptive is None and cells > points:
        raise StudyError(f"study.quality.cells: is {cells}, of {points} points; give at most as many")


def _check_report(study):
    over = study.report.get("over")
    if over is not None and over == study.report.get("curve"):
        raise StudyError(f"study.report.curve: is {over!r}, which is on the axis (over); leave one out")
    known = [parameter.name for parameter in study.parameters]
    if study.adaptive is not None:
        known.append(study.adaptive.parameter)
    for key in ("curve", "over"):
        if key in study.report and study.report[key] not in known:
            raise StudyError(f"study.report.{key}: is {study.report[key]!r}; choose one of {', '.join(known)}")
