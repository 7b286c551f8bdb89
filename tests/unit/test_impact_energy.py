"""Impacts give no energy: with friction Newton's law of restitution may, and is bounded."""

import numpy as np
import pytest
from flying_scenes import jamming_bar, poured, thrown, turning_box
from marks import few
from soft_scenes import run
from test_links_stay_linked import chain
from test_soft_momentum import unexplained, worst_change
from verified_scenes import recorded

from stiction.solver import mechanisms
from stiction.solver.dynamics import impact_energy
from stiction.solver.problem import Block, BlockRows, ContactProblem
from stiction.solver.scenes import build
from stiction.solver.verify import verify

STEP = 0.01


def bounded(reports):
    """Steps in which restitution was bounded."""
    return [k for k, report in enumerate(reports) if any(e.name == "bounded_restitution" for e in report.events)]


def without(monkeypatch, *names):
    monkeypatch.setattr(mechanisms, "OFF", mechanisms.checked(names))


@pytest.mark.parametrize("seed", few(range(20), 1, 7, 11))
def test_what_meets_in_flight_gains_no_energy_in_any_step(seed):
    model, states, reports = run(thrown(seed, restitution=1.0, jointed=False), 40, time_step=STEP)
    energy = np.array([report.kinetic for report in reports])
    assert np.diff(energy).max() < 1e-9 * energy[0]
    assert worst_change(model, states) < 1e-12 and unexplained(reports) < 1e-11


@pytest.mark.parametrize(("friction", "restitution"), [(0.0, 1.0), (0.5, 0.95)])
@pytest.mark.parametrize("seed", [0, 1, 3, 5, 6])
def test_what_bounces_on_others_gains_no_energy_from_a_fall_that_they_stop(seed, friction, restitution):
    """A step in which a body may fall by its own height at most counts the fall that is made."""
    _, _, reports = run(poured(seed, friction, restitution), 36, time_step=1 / 24)
    energy = np.array([report.kinetic + report.potential for report in reports])
    assert np.diff(energy).max() < 1e-9 * max(report.kinetic for report in reports)


@pytest.mark.parametrize("method", ["nncg", "pgs"])
@pytest.mark.parametrize("seed", [1, 5])
def test_what_a_method_leaves_unsolved_bounces(method, seed):
    """Restitution goes where no impulses give it, not where a method has not found them."""
    made = thrown(seed, restitution=0.8, jointed=False)
    exact, rough = (run(made, 20, time_step=STEP, method=method, **few)[2] for few in ({}, {"max_iterations": 3}))
    assert max(report.residual for report in rough) > 1e-2
    assert rough[-1].kinetic == pytest.approx(exact[-1].kinetic, rel=0.05) and not bounded(rough)


def test_what_is_left_unsolved_and_bounces_nowhere_is_not_begun_anew(monkeypatch):
    def rough():
        _, states, reports = run(chain(12, 12, 6, 10.0, 20.0)[0], 20, time_step=STEP, max_iterations=10)
        return states, max(report.residual for report in reports)

    states, residual = rough()
    assert residual > 1e-2
    without(monkeypatch, "bounded_restitution")
    others, _ = rough()
    assert all(np.array_equal(a.twist, b.twist) for a, b in zip(states, others, strict=True))


def contacts(normals, arms, b, mu):
    """A problem of contacts between the world and a ball of 1 kg and 0.4 kg m^2; normals, arms (C,3), b (C,)."""
    rows = []
    for n, arm in zip(np.array(normals, dtype=float), np.array(arms, dtype=float), strict=True):
        across = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
        for axis in (n, across / np.linalg.norm(across), np.cross(n, across / np.linalg.norm(across))):
            rows.append(np.concatenate([axis, np.cross(arm, axis)]))
    J, count = np.array(rows), len(normals)
    G, of_each = J / np.array([1.0, 1.0, 1.0, 0.4, 0.4, 0.4]), np.ones(count, dtype=int)
    segments = np.arange(count + 1), 0 * of_each, 6 * of_each, 18 * np.arange(count)
    blocks = [BlockRows(*segments, numbers.ravel()) for numbers in (J, G)]
    full = np.zeros(3 * count)
    full[::3] = b
    return ContactProblem(
        kind=np.full(count, Block.CONTACT), row_start=3 * np.arange(count + 1), J=blocks[0], G=blocks[1], b=full,
        law=np.zeros(count, dtype=int), mu=np.full((count, 3), mu), bounds=np.zeros((count, 2)),
        compliance_offset=np.full(count, -1), compliance=np.zeros(0), dof_count=6,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("normals", "arms", "b", "mu", "jams"),
    [
        ([(1, 0, 0), (-1, 0, 0)], [(-1, 0, 0), (1, 0, 0)], (-0.1, -0.1), 0.0, True),
        ([(1, 0, 0), (-1, 0, 0)], [(-1, 0, 0), (1, 0, 0)], (-0.1, 0.2), 0.0, False),
        # Two walls that lean by 0.2 rad hold a ball by friction alone.
        ([(np.cos(0.2), 0, -np.sin(0.2)), (-np.cos(0.2), 0, -np.sin(0.2))],
         [(-np.cos(0.2), 0, np.sin(0.2)), (np.cos(0.2), 0, np.sin(0.2))], (-0.1, -0.1), 0.3, True),
        ([(np.cos(0.2), 0, -np.sin(0.2)), (-np.cos(0.2), 0, -np.sin(0.2))],
         [(-np.cos(0.2), 0, np.sin(0.2)), (np.cos(0.2), 0, np.sin(0.2))], (-0.1, -0.1), 0.1, False),
        ([(0, 0, 1)], [(0, 0, -1)], (-1.0,), 0.5, False),
    ],
)  # fmt: skip
def test_contacts_push_each_other_where_no_impulses_make_all_part(normals, arms, b, mu, jams):
    assert impact_energy.push_each_other(contacts(normals, arms, b, mu)) == jams


@pytest.mark.parametrize("tangential", [0.0, 0.5])
def test_an_impact_that_would_give_energy_keeps_it_all(monkeypatch, tangential):
    """Restitution is less, and no less than that."""
    made = turning_box(tangential=tangential)
    _, _, reports = run(made, 12, time_step=STEP)
    energy, acted = np.array([report.kinetic for report in reports]), bounded(reports)
    assert acted and np.abs(np.diff(energy)[np.array(acted) - 1]).max() < 1e-9 * energy[0]
    without(monkeypatch, "bounded_restitution")
    _, _, reports = run(made, acted[0] + 1, time_step=STEP)
    assert reports[-1].kinetic > 1.01 * energy[acted[0]]


@pytest.mark.parametrize(("friction", "restitution"), [(0.0, 1.0), (0.5, 0.5)])
def test_impacts_that_give_none_are_as_they_were(monkeypatch, friction, restitution):
    for made in (turning_box(friction, restitution), thrown(11, friction, restitution, jointed=False)):
        _, states, reports = run(made, 20, time_step=STEP)
        assert not bounded(reports)
        without(monkeypatch, "bounded_restitution")
        _, others, _ = run(made, 20, time_step=STEP)
        without(monkeypatch)
        assert all(np.array_equal(a.twist, b.twist) for a, b in zip(states, others, strict=True))


@pytest.mark.parametrize("restitution", [0.3, 0.8])
def test_a_bar_that_jams_between_walls_rests_where_no_impulses_would_turn_it_back(restitution):
    """Its ends push each other along the bar, whatever they are asked for: what friction holds so parts at no end."""
    _, _, reports = run(jamming_bar(friction=1.0, restitution=restitution), 8, time_step=STEP)
    assert all(report.residual < 1e-8 for report in reports)
    kinetic, lost = [report.kinetic for report in reports], [report.impact_loss for report in reports]
    assert kinetic[0] > 0.0 and kinetic[-1] < 1e-12 * kinetic[0] and bounded(reports)
    assert np.abs(lost).max() < 2.0 * kinetic[0]


@pytest.mark.parametrize(("friction", "jams"), [(1.0, True), (0.2, False)])
def test_a_bar_that_jams_is_verified_and_one_that_could_bounce_is_not(monkeypatch, tmp_path, friction, jams):
    def every(*given):
        yes = np.ones(given[-1], dtype=bool)
        return yes, yes, ~yes

    if not jams:
        monkeypatch.setattr(impact_energy, "_unsolved", every)
        monkeypatch.setattr(impact_energy, "_jammed", lambda solution, unsolved, settings: unsolved)
    monkeypatch.setattr(mechanisms, "OFF", mechanisms.checked(["quiet_steps"]))
    recorded(jamming_bar(friction, restitution=0.8), tmp_path / "run", time=0.1, time_step=STEP)
    failed = [check["name"] for check in verify(tmp_path / "run")["checks"] if not check["passed"]]
    assert failed == ([] if jams else ["impacts with less restitution do no work"])


def test_a_bounded_impact_is_verified_and_one_that_loses_more_is_not(monkeypatch, tmp_path):
    def failed(name):
        recorded(build("kane_rod"), tmp_path / name, time=0.02, time_step=0.001)
        return [check["name"] for check in verify(tmp_path / name)["checks"] if not check["passed"]]

    assert failed("run") == []
    works = impact_energy.impact_works

    def too_much(*given):
        work, most, left = works(*given)
        return np.where(left > 0.0, work + 0.05, work), most, left

    monkeypatch.setattr(impact_energy, "impact_works", too_much)
    assert "impacts with less restitution do no work" in failed("loses")
