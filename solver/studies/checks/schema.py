"""Schema of the study file (TOML): JSON Schema, draft 7, checked like that of the scene file by fastjsonschema.

Not by pydantic: that is compiled code, which would have to be shipped with the extension for every platform and Python,
and a second way to say what a file may hold.
"""

from ...scene_io.scene_schema import FLAG, NUMBER, TEXT, WHOLE, list_of, one_of, record, text

SAMPLINGS = ("grid", "list", "latin_hypercube", "sobol")
KEPT = ("curve", "state", "walls")

ANY = {}
TABLE = {"type": "object", "additionalProperties": ANY, "description": "a table"}
POSITIVE = NUMBER | {"exclusiveMinimum": 0, "description": "a number above 0"}
PART = NUMBER | {"minimum": 0, "maximum": 1, "description": "a number from 0 to 1"}
COUNT = WHOLE | {"minimum": 0, "description": "a whole number of at least 0"}
ONE_OR_MORE = WHOLE | {"minimum": 1, "description": "a whole number of at least 1"}
SHARE = NUMBER | {"exclusiveMinimum": 0, "exclusiveMaximum": 1, "description": "a number between 0 and 1"}

PARAMETER = record({
    "path": text(), "values": list_of(ANY, "a list of at least one value", minItems=1), "low": NUMBER, "high": NUMBER,
    "logarithmic": FLAG, "label": TEXT,
})  # fmt: skip
STUDY_SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "Stiction study file",
    **record(
        {
            "stiction_study": {"const": 1}, "name": text(), "description": TEXT,
            "scene": record({"name": text(), "file": text(), "blend": text(), "parameters": TABLE}),
            "settings": TABLE,
            "parameters": {"type": "object", "additionalProperties": PARAMETER, "description": "a table"},
            "sampling": record({
                "kind": one_of(SAMPLINGS), "count": ONE_OR_MORE, "seed": COUNT, "points": list_of(TABLE),
            }),
            "repeats": record({"count": ONE_OR_MORE, "seed": COUNT, "path": text()}),
            "fill": record({"shared": list_of(text())}, ["shared"]),
            "stop": record({
                "counter": text(), "quiet": POSITIVE, "speed": POSITIVE, "emptied": FLAG, "count": COUNT,
            }),
            "keep": list_of(one_of(KEPT)),
            "quality": record({
                "repeats": COUNT, "cells": COUNT, "overlap": POSITIVE, "residual": POSITIVE, "energy": POSITIVE,
                "accepted": PART, "decided": PART,
            }),
            "adaptive": record({
                "parameter": text(), "low": POSITIVE, "high": POSITIVE, "target": SHARE, "tolerance": SHARE,
                "width": SHARE, "batch": ONE_OR_MORE, "most_runs": ONE_OR_MORE,
            }, ["parameter", "low", "high"]),
            "sensitivity": record({"change": SHARE, "around": TABLE, "parameters": list_of(text())},
                                  ["change", "around"]),
            "report": record({"curve": text(), "over": text(), "length": POSITIVE, "title": TEXT}),
        },
        ["stiction_study", "scene"],
    ),
}  # fmt: skip
