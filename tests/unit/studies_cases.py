"""A study that takes a second: a few grains of the slot hopper."""

from stiction.solver.studies.study import study_from_data

SMALL = {
    "stiction_study": 1, "name": "small",
    "scene": {"name": "slot_hopper", "parameters": {"count": 6, "open_time": 0.1, "time_step": 0.01}},
    "settings": {"time": 1.5, "method": "pgs", "max_iterations": 20},
    "parameters": {"outlet": {"values": [1.0, 3.0]}},
    "repeats": {"count": 2},
    "stop": {"quiet": 0.4},
    "quality": {"repeats": 0},
}  # fmt: skip
# Tables for runs of a twentieth of a second.
TOYS = {
    "scene": {"name": "slot_hopper", "parameters": {"count": 2, "open_time": 0.05, "time_step": 0.01}},
    "settings": {"time": 0.1, "method": "pgs", "max_iterations": 20}, "stop": {"quiet": 0.05},
}  # fmt: skip


def small_study(**changes):
    """The Study with other tables."""
    return study_from_data({**SMALL, **changes})
