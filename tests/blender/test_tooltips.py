"""Tooltips of all settings: what it is, in which unit, and when to change it."""

import re

import pytest
from test_enums import groups

# Written by a bake or a study, or the place of a list's cursor: nobody sets these.
NOT_SHOWN = {
    "StictionScene": {"active_pair", "signature", "run", "summary", "verdict", "verified", "worth"},
    "StictionStudy": {"active", "result", "shares", "folder"},
}
RECORDS = ("StictionBakeRecord", "StictionFinding", "StictionFindings")
ADVICE = re.compile(r"(^|[.,] |; )(Switch|Set|Change|Choose|Raise|Lower|Type|change)\b")
# Numbers without a unit say what they count or are a part of.
PURE = re.compile(
    r"factor|part|coefficient|ratio|times|over|weight|friction|frame|step|triangles|row|speed|volume|bulge|counts as|"
    r"springs|runs|seed|random|bodies|threads|substeps|iterations|sweeps|contacts|deviation|damping|directions|omega|c1|"
    r"projections|fraction|number|denominator|seconds in a second|gravity",
    re.IGNORECASE,
)


def settings():
    """(group, property) of all that a person sets."""
    for name, rna in groups().items():
        if name in RECORDS:
            continue
        for entry in rna.properties:
            hidden = entry.identifier in ("rna_type", "name") or entry.identifier in NOT_SHOWN.get(name, ())
            nested = entry.type in ("POINTER", "COLLECTION") and entry.fixed_type.identifier.startswith("Stiction")
            if not hidden and not nested:
                yield name, entry


def test_all_groups_are_looked_at(scene):
    names = {name for name, _ in settings()}
    assert len(names) > 15 and len(list(settings())) > 200


def test_every_tooltip_says_when_to_change_it(scene):
    silent = [f"{name}.{entry.identifier}: {entry.description}" for name, entry in settings()
              if not ADVICE.search(entry.description)]  # fmt: skip
    assert not silent


def test_every_number_says_its_unit(scene):
    bare = []
    for name, entry in settings():
        if entry.type not in ("FLOAT", "INT") or entry.unit != "NONE":
            continue
        has_unit = re.search(r"\[[^]]+\]", f"{entry.name} {entry.description}")
        if not has_unit and not PURE.search(f"{entry.name} {entry.description}"):
            bare.append(f"{name}.{entry.identifier}: {entry.name}, {entry.description}")
    assert not bare


def test_a_unit_stands_beside_the_number(scene):
    """Blender shows those it knows; others are in the name, which is read without a tooltip."""
    hidden = [f"{name}.{entry.identifier}: {entry.name}" for name, entry in settings()
              if entry.type in ("FLOAT", "INT") and entry.unit == "NONE" and "[" not in entry.name
              and re.search(r"\[[^]]+\]", entry.description)]  # fmt: skip
    assert not hidden


@pytest.mark.parametrize("text", ["Mass of the body", "Edge of a voxel"])
def test_a_tooltip_without_advice_is_noticed(text):
    assert not ADVICE.search(text)
