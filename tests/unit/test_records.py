"""Records behave as frozen dataclasses do."""

from dataclasses import FrozenInstanceError, asdict, dataclass, field, replace
from functools import partial

import pytest

from stiction.solver.base.records import record


def _classes(decorator):
    @decorator
    class Point:
        x: float
        y: float = 2.0
        note: str = field(default="", compare=False)
        hidden: list = field(default_factory=list, repr=False, compare=False)

    @decorator
    class Place(Point):
        z: float = 0.0

        def __repr__(self):
            return "a place"

    return Point, Place


OURS, THEIRS = _classes(record), _classes(partial(dataclass, frozen=True))


def _said(classes):
    point, place = classes
    a, b = point(1.0), point(1.0, note="other")
    return (repr(a), repr(place(1.0)), a == b, a != point(2.0), a == (1.0, 2.0), point(1.0) == place(1.0),
            hash(a) == hash(b), len({a, b, point(3.0)}), asdict(replace(b, y=5.0)), a.__eq__(3))  # fmt: skip


def test_they_are_shown_compared_hashed_and_replaced_alike():
    """With defaults, fields left out of comparing and showing, and a subclass that shows itself."""
    assert _said(OURS) == _said(THEIRS)


def test_nothing_of_them_can_be_changed():
    """Neither set nor deleted, nor added."""
    made = OURS[0](1.0)
    with pytest.raises(FrozenInstanceError):
        made.x = 2.0
    with pytest.raises(FrozenInstanceError):
        del made.x
    with pytest.raises(FrozenInstanceError):
        made.other = 2.0


def test_one_that_holds_what_cannot_be_hashed_cannot_either():
    """As with dataclasses, when it is asked."""
    with pytest.raises(TypeError, match="unhashable"):
        hash(OURS[0]([1.0]))
