"""The words of panels, tooltips, menus and operators: those that a person knows, and one word for one thing."""

import re

import pytest
from test_enums import groups

from stiction import operators, ui

# Words of the program's own making, and what they are called where a person reads them.
OURS = re.compile(
    r"\b(calm|quiet step|even loads|evened|spread.?loads|finisher|taken up|patience|impatient|effort|lasting|"
    r"stagnations?|heap|ghosts?|astray|stray|wild|taut bod(y|ies)|crushed|literal|look inside|onset|horizon|"
    r"free turning|soft bod(y|ies)|elastic bod(y|ies))\b",
    re.IGNORECASE,
)
# Blender's own name of its simulation.
BLENDERS = "Soft Body"


def words():
    """(where, text) of all that is read: names and tooltips of settings and of their choices, of verbs and panels."""
    for name, rna in groups().items():
        for entry in rna.properties:
            where = f"{name}.{entry.identifier}"
            yield from ((where, entry.name), (where, entry.description))
            for item in entry.enum_items if entry.type == "ENUM" else ():
                yield from ((where, item.name), (where, item.description))
    for cls in (*operators._classes(), *ui._classes()):
        yield from ((cls.__name__, getattr(cls, "bl_label", "")), (cls.__name__, cls.__doc__ or ""))


def test_panels_speak_the_words_a_person_knows(scene):
    found = list(words())
    assert len(found) > 1000
    assert not [(where, text) for where, text in found if OURS.search((text or "").replace(BLENDERS, ""))]


@pytest.mark.parametrize("text", ["Largest effort", "Soft bodies tremble", "Look Inside", "ghost contacts"])
def test_another_word_is_noticed(text):
    assert OURS.search(text)
