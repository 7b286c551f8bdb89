"""The files of a study: scene.json and study.toml, which `stiction study` reads from any machine."""

import json
from dataclasses import replace

from ...solver.base.refusal import StudyError
from ...solver.scene_io.scene_file import save_scene
from ..baking import bake as baking
from ..exporting.assembly import assemble
from ..exporting.reader import read_scene
from ..running import run as runs

SCENE, STUDY = "scene.json", "study.toml"
# Residual that a study's runs aim at, in gravity's velocity in a step: what jams, jams at 1e-8 as well.
ACCURACY = 1e-3


def write_study(scene, folder):
    """Write scene.json and study.toml of a Blender scene into a folder; returns the path of the study file.

    StudyError or SceneError for what cannot be studied.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = study_scene(scene)
    save_scene(folder / SCENE, made)
    path = folder / STUDY
    path.write_text(toml_of(scene, poured=bool(made.emitters)), encoding="utf-8")
    return path


def study_scene(scene):
    """The solver's Scene of a Blender scene with the gates and counters of its study."""
    with baking.lifted(scene):
        reading = runs.with_options(scene, study_reading(scene))
    made = assemble(reading).scene
    kept = {name: value for name, value in made.settings.items() if name not in ("steps_per_frame", "time", "threads")}
    return replace(made, settings=kept)


def study_reading(scene):
    """The SceneReading of a scene with the gate and the counter that its study names besides those of its objects."""
    settings, reading = scene.stiction_study, read_scene(scene)
    flow = {kind: list(found) for kind, found in reading.flow.items()}
    if settings.counter is not None and settings.counter.stiction_flow.kind != "COUNTER":
        point = list(settings.counter.matrix_world.translation)
        flow["counters"].insert(0, {"name": settings.counter.name, "point": point, "normal": [0.0, 0.0, -1.0]})
    if not flow["counters"]:
        raise StudyError("the study has no counter; choose an object at the height where bodies have left, or Set Up")
    gate = settings.gate
    if gate is not None and not gate.stiction_flow.gate:
        if gate.name not in [body.name for body in reading.bodies]:
            raise StudyError(f"gate {gate.name!r}: is no body; make it Passive or choose another")
        flow["gates"].append({"name": "gate", "body": gate.name, "time": settings.gate_time, "at_rest": True})
    return replace(reading, flow=flow)


def toml_of(scene, poured=False):
    """Text of the study file of a Blender scene. poured: emitters take each run's seed; else bodies are shifted."""
    settings = scene.stiction_study
    if not settings.parameters:
        raise StudyError("the study has no parameter; add one")
    paths = [f"settings.{name}" for name in ("time", "accuracy")]
    given = {parameter.path for parameter in settings.parameters}
    said = [f"time = {settings.time:.6g}", f"accuracy = {ACCURACY:g}"]
    lines = [
        "stiction_study = 1", f"name = {_text(scene.name)}", 'keep = ["curve", "state"]', "",
        "[scene]", f"file = {_text(SCENE)}", "", "[settings]",
        *(line for path, line in zip(paths, said, strict=True) if path not in given), "",
        "[repeats]", f"count = {settings.repeats}", f'path = "{"seed" if poured else "jitter"}"', "",
        "[stop]", f"quiet = {settings.quiet:.6g}", *_counter_line(settings), "",
        "[quality]", "cells = 1", f"repeats = {min(settings.repeats, 10)}",
    ]  # fmt: skip
    for parameter in settings.parameters:
        values = ", ".join(_value(value) for value in values_of(parameter.values, parameter.path))
        lines += ["", f"[parameters.{_text(parameter.path)}]", f"values = [{values}]"]
    return "\n".join(lines) + "\n"


def _counter_line(settings):
    return [f"counter = {_text(settings.counter.name)}"] if settings.counter is not None else []


def values_of(text, name):
    """Values of a parameter from its text: numbers or words with commas, or from..to:count."""
    text = text.strip()
    if ".." in text:
        ends, _, count = text.partition(":")
        low, _, high = ends.partition("..")
        try:
            low, high, count = float(low), float(high), int(count)
        except ValueError:
            raise StudyError(f"{name}: values are {text!r}; give from..to:count, such as 0.1..0.9:5") from None
        if count < 2:
            raise StudyError(f"{name}: values are {text!r}; give a count of at least 2")
        return [round(low + (high - low) * k / (count - 1), 12) for k in range(count)]
    values = [entry.strip() for entry in text.split(",") if entry.strip()]
    if not values:
        raise StudyError(f"{name}: has no values; give some, separated by commas")
    return [_number(value) for value in values]


def _number(text):
    try:
        return float(text)
    except ValueError:
        return text


def _value(value):
    return f"{value!r}" if isinstance(value, float) else _text(value)


def _text(value):
    # Strings of JSON are strings of TOML.
    return json.dumps(str(value))
