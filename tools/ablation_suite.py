"""What `make ablate` runs with and without each mechanism: scenes, validation cases, and the tests of its area."""

import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "unit"), str(ROOT / "benchmarks")]

import bench_speed  # noqa: E402
from mechanism_scenes import SMALL  # noqa: E402

from stiction.solver.scenes import build  # noqa: E402
from stiction.solver.validation import CASES  # noqa: E402

# CPU seconds in docs/validation.json up to which a case is in the suite, and dearer ones that are, too.
DEAREST = 1.7
BESIDES = ("euler_disk", "walls", "joint_four_bar", "soft_slope")


class Look(NamedTuple):
    """A scene of the suite: make() -> Scene, options of its run; rests: bodies are to stay where they are from the
    middle of the run on; keeps: nothing takes or gives energy."""

    make: Any
    options: dict
    rests: bool = False
    keeps: bool = False


def canonical(name, time, rests=False, keeps=False, **options):
    """The Look at a canonical scene for `time` seconds."""
    return Look(lambda: build(name), {"time": time, **options}, rests, keeps)


SCENES = {
    "stack10": canonical("stack10", 2.0, rests=True),
    "drop10": canonical("drop10", 2.0),
    "wall85": canonical("wall85", 0.5, rests=True),
    "cardhouse3": canonical("cardhouse3", 1.0, rests=True),
    "heavy4096": canonical("heavy4096", 1.0, rests=True),
    "log_house": canonical("log_house", 0.3, rests=True),
    "log_house_jump": canonical("log_house_jump", 1.2),
    "cardhouse_blocks": canonical("cardhouse_blocks", 1.0),
    "dominoes": canonical("dominoes", 2.0),
    "glass_tower": canonical("glass_tower", 0.3, rests=True),
    "arch20": canonical("arch20", 0.5, rests=True),
    "jellett_top": canonical("jellett_top", 1.0),
    "rolling_disk": canonical("rolling_disk", 1.0, keeps=True),
    "free_top": canonical("free_top", 1.0, keeps=True),
    "weights": canonical("weights", 0.5, keeps=True),
    "chain_bridge": canonical("chain_bridge", 0.5),
    "gear_train": canonical("gear_train", 1.0),
    "table_pile": canonical("table_pile", 1.2),
    "funnel500s": canonical("funnel500s", 1.0),
    "funnel500j": canonical("funnel500j", 1.2),
    "concave200": canonical("concave200", 1.0),
    "prox_chalices": canonical("prox_chalices", 0.8),
    "prox_jacks": canonical("prox_jacks", 0.7),
    "slot_hopper": Look(bench_speed.hopper, {"time": 1.0}),
    "block_on_cubes": Look(bench_speed.block_on_cubes, {"time": 0.3}, rests=True),
    "small_cubes": Look(bench_speed.small_cubes, {"time": 0.2}),
    "rocking_block": canonical("rocking_block", 2.0),
    "euler_disk": canonical("euler_disk", 1.0),
    "leaning_stack": canonical("leaning_stack", 1.0),
    "whip": Look(SMALL["whip"][0], {"time": 1.3}, keeps=True),
}
SCENES |= {name: Look(make, options) for name, (make, options, _) in SMALL.items() if name not in SCENES}

# Tests that are to hold the behaviour of each mechanism: files below tests/.
TESTS = {
    "late_contacts": ("unit/test_step_overlap.py", "validation/test_throws.py"),
    "impact_within_step": ("unit/test_onset.py",),
    "passed_contacts": ("unit/test_onset.py", "unit/test_step_overlap.py"),
    "jacobian_rate": ("unit/test_turning_rows.py", "unit/test_turning.py"),
    "bounce_displacement": ("unit/test_displacement.py", "unit/test_step_overlap.py"),
    "bounded_restitution": ("unit/test_impact_energy.py",),
    "penetration_correction": ("unit/test_displacement.py", "unit/test_simulation.py", "unit/test_locked.py"),
    "unbounded_response": ("unit/test_displacement.py", "unit/test_mesh_throws.py"),
    "halved_turning": ("unit/test_substeps.py", "unit/test_component_substeps.py"),
    "halved_flying": ("unit/test_fast_starts.py", "validation/test_bullets.py"),
    "halved_overlap": ("unit/test_substeps.py", "validation/test_throws.py"),
    "halved_tension": ("unit/test_held_work.py", "unit/test_joints.py"),
    "halved_constraint_work": ("unit/test_held_work.py",),
    "halved_bounces": ("unit/test_bounces_in_turn.py",),
    "snapped_joints": ("unit/test_snapping.py",),
    "minimum_norm": ("unit/test_even_loads.py", "unit/test_staggered_start.py"),
    "staggered_start": ("unit/test_staggered_start.py",),
    "inner_ring": ("unit/test_carried_loads.py", "validation/test_spinning_disc.py"),
    "carried_by_place": ("unit/test_carried_loads.py",),
    "rest_patience": ("unit/test_goals.py", "unit/test_kept_islands.py"),
    "mass_ratio_floor": ("unit/test_goals.py",),
    "resumed_effort": ("unit/test_two_turns.py", "unit/test_kept_islands.py"),
    "newton_turns": ("unit/test_theory.py", "unit/test_island_ends.py"),
    "joint_rows_at_end": ("unit/test_mean_place.py", "unit/test_turning.py"),
    "bearing_friction": ("unit/test_bearings.py",),
    "joint_closing": ("unit/test_mean_place.py", "unit/test_held_work.py"),
    "soft_subdivision": ("unit/test_deformable_mechanics.py",),
    "soft_late_contacts": ("unit/test_soft_late.py",),
    "quiet_steps": ("contract/test_one_call.py",),
    "sleeping": ("unit/test_sleeping.py",),
}


def cases(seconds):
    """Keys of the validation cases of the suite; seconds: {key: CPU s of a case}."""
    return [key for key in CASES if seconds.get(key, DEAREST + 1.0) <= DEAREST or key in BESIDES]
