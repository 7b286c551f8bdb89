"""The canonical scenes: they compile, begin exactly touching, and have the masses they claim."""

import dataclasses

import numpy as np
import pytest
from marks import few

from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.model import compile_scene
from stiction.solver.scenes import FAMILIES, SCENES, build, scaled, turned
from stiction.solver.scenes.deformable.friction import INNER, INTERFERENCE
from stiction.solver.scenes.granular import jack_mass
from stiction.solver.shapes import Mesh
from stiction.solver.simulation import options_for, simulate
from stiction.solver.validation.limit_analysis import least_friction, least_thickness, thrust_range
from stiction.solver.validation.overlap import deepest_overlap

# A press fit is one by what the ring is too narrow, and by what the sides of its polygon lie inside its circle.
SQUEEZED = INTERFERENCE + INNER * (1.0 - np.cos(np.pi / 48))
LARGE = ("funnel2000s", "funnel2000j", "concave200", "concave2000", *(key for key in SCENES if key.startswith("prox_")))


def poses(scene):
    return np.array([b.position for b in scene.bodies]), np.array([b.orientation for b in scene.bodies])


# Woven composites: tests/unit/test_composites.py steps one of the six.
@pytest.mark.parametrize("name", few([name for name in SCENES if name not in LARGE],
                                     *(name for name in SCENES if name not in (*LARGE, "composites"))))  # fmt: skip
def test_scene_compiles_and_starts_without_overlap(name):
    scene = build(name)
    model, state = compile_scene(scene)
    assert model.body_count == len(scene.bodies)
    assert np.all(np.isfinite(state.position))
    if any(body.elastic and body.elastic.start for body in scene.bodies):
        # Their shapes cross, and they begin bent round each other: the paper's overlap of at most 0.1 mm is asked.
        run = simulate(scene, options_for(scene, time=scene.settings["time_step"]))
        assert run.steps["overlap"].max() < 1e-4
    # Links of a mechanism lie in each other where they do not collide.
    elif scene.joints or any(isinstance(body.shape, Mesh) or body.elastic for body in scene.bodies):
        still = np.zeros((model.body_count, 6))
        gap = find_contacts(model.collision, state.position, state.orientation, still, 0.01).gap
        assert np.max(-gap, initial=0.0) < 1e-9 + (SQUEEZED if name == "soft_press_fit" else 0.0)
    else:
        assert deepest_overlap(scene, *poses(scene))[0] < 1e-9


@pytest.mark.parametrize(
    "name", ["stack10", "heavygrow", "wall85", "cardhouse3", "arch20thin", "catenary_arch", "overhang"]
)
def test_structures_start_touching(name):
    """Lowered by a micrometre, every structure overlaps its support by that much: there is no gap at the start."""
    scene = build(name)
    position, orientation = poses(scene)
    moving = np.array([b.motion == "dynamic" for b in scene.bodies])
    position[moving, 2] -= 1e-6
    depth = deepest_overlap(scene, position, orientation)[0]
    assert 2e-7 < depth < 1.1e-6


def test_masses():
    def mass(name):
        return compile_scene(build(name))[0].mass[1:]

    assert np.allclose(mass("heavy4096"), [8, 64, 512, 4096, 32768])
    assert np.allclose(mass("heavygrow"), [8, 64, 512, 4096, 32768])
    assert np.allclose(mass("stack10"), 125)
    assert mass("heavy100").sum() == pytest.approx(1120)
    assert mass("extremes")[[0, 2]] == pytest.approx([1e6, 1e-3])
    assert jack_mass()[0] == pytest.approx(1000 * (3 * 0.3 * 0.06**2 - 2 * 0.06**3))


def test_counts():
    counted = ("wall85", "wall174", "cardhouse1", "cardhouse3", "cardhouse5", "funnel500j", "funnel2000s")
    dynamic = {name: sum(b.motion == "dynamic" for b in build(name).bodies) for name in counted}
    assert (dynamic["wall85"], dynamic["wall174"]) == (85, 174)
    assert (dynamic["cardhouse1"], dynamic["cardhouse3"], dynamic["cardhouse5"]) == (2, 15, 40)
    assert (dynamic["funnel500j"], dynamic["funnel2000s"]) == (500, 2000)


def test_names_are_those_of_the_table():
    for key, entry in SCENES.items():
        assert entry.key == key
        assert entry.description
        if key not in LARGE:
            assert entry.build().name in (key, "topple_block", "arch20")


@pytest.mark.parametrize("name", ["cardhouse3", "arch20", "heavy_top", "rocking_block", "studded_disk"])
def test_scaled_scene_is_similar(name):
    """Masses scale by the mass factor, inertias by mass * length^2, exactly for powers of two."""
    base, state = compile_scene(build(name))
    other, moved = compile_scene(scaled(build(name), length=4.0, time=2.0, mass=8.0))
    assert np.allclose(other.mass, 8 * base.mass, rtol=1e-13)
    assert np.allclose(other.inertia, 128 * base.inertia, rtol=1e-12)
    assert np.allclose(moved.position, 4 * state.position, rtol=1e-13)
    assert np.allclose(moved.twist[:, :3], 2 * state.twist[:, :3])
    assert np.allclose(moved.twist[:, 3:], 0.5 * state.twist[:, 3:])
    assert np.allclose(other.gravity, base.gravity)


def test_turned_scene_keeps_gravity_relative_to_bodies():
    quaternion = np.array([0.5, 0.5, 0.5, 0.5])
    scene = build("stack10")
    other = turned(scene, quaternion)
    assert np.allclose(other.gravity, np.roll(scene.gravity, 1))
    assert np.allclose(other.bodies[3].position, np.roll(scene.bodies[3].position, 1))
    assert dataclasses.replace(other, gravity=scene.gravity, bodies=scene.bodies) == scene


@pytest.mark.slow
def test_limit_analysis_against_the_literature():
    """N = 20 radial voussoirs: 0.10735; friction 0.3881 at 0.115, 0.309 at 0.2; many blocks tend to 0.10748."""
    assert least_thickness(20, 0.6) == pytest.approx(0.10735, abs=1e-5)
    assert least_friction(20, 0.115) == pytest.approx(0.388, abs=1e-3)
    assert least_friction(20, 0.2) == pytest.approx(0.309, abs=1e-3)
    assert least_thickness(40, 0.6) == pytest.approx(0.1075, abs=3e-4)
    low, high = thrust_range(20, 0.2, 0.6)
    assert 0.1 < low < high < 0.3


def test_checks_of_entries_tell_standing_from_falling():
    """The check of an entry judges how far free bodies moved; what is fixed does not count."""
    from types import SimpleNamespace

    entry = SCENES["stack10"]
    model, state = compile_scene(entry.build())
    still = np.tile(state.position, (3, 1, 1))
    moved = still.copy()
    moved[-1, 5, 0] += 0.2
    shifted = still.copy()
    shifted[-1, 0, 0] += 1.0
    header = {"motion": [str(motion) for motion in model.motion]}

    def holds(key, center):
        return all(line.passed for line in SCENES[key].check(SimpleNamespace(center_of_mass=center, header=header)))

    assert holds("stack10", still)
    assert holds("stack10", shifted)
    assert not holds("stack10", moved)
    assert holds("leaning_stack", moved)
    assert not holds("leaning_stack", still)


def test_no_two_scenes_have_one_name():
    keys = [entry.key for family in FAMILIES for entry in family.ENTRIES]
    assert len(keys) == len(SCENES), sorted(key for key in SCENES if keys.count(key) > 1)
