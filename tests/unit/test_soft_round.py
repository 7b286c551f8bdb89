"""Balls and capsules pressed into deformable bodies; quadratic elements with bent edges."""

import numpy as np
import pytest
from soft_scenes import run

from stiction.solver.base.refusal import SceneError
from stiction.solver.dynamics.elastic.deformable import deformable
from stiction.solver.meshes.tet_grids import ball_grid, box_grid
from stiction.solver.scenes import build


def test_a_ball_at_rest_presses_evenly_on_every_vertex():
    """In the dent all vertices of the patch touch, and stay; the force is that of the step before."""
    _, states, reports = run(build("soft_indent", cells=8), 4)
    forces = [state.impulses[:, 0].sum() for state in states[2:]]
    assert forces == pytest.approx([forces[0]] * len(forces), rel=1e-4)
    counts = {int((state.impulses[:, 0] > 0).sum()) for state in states[2:]}
    assert len(counts) == 1 and counts.pop() >= 9
    # 0.1 mm deep: a corner of the patch that the search forgets would lie in the ball by a good part of it.
    nodes, ball = states[-1].nodes.position, states[-1].position[1]
    assert 1.0 - np.linalg.norm(nodes - ball, axis=1).min() < 1e-7
    assert max(report.residual for report in reports) < 1e-7


def _on_sphere(ends):
    middle = ends.mean(axis=1)
    radius = np.linalg.norm(ends, axis=2).mean(axis=1)
    return middle * (radius / np.maximum(np.linalg.norm(middle, axis=1), 1e-300))[:, None]


def test_bent_elements_fill_a_ball():
    straight, bent = (deformable(*ball_grid(1.0, 4), 1e6, 0.3, 1000.0, element="t10", bend=bend)
                      for bend in (None, _on_sphere))  # fmt: skip
    whole = 4.0 / 3.0 * np.pi
    assert straight.volume.sum() < 0.93 * whole
    assert bent.volume.sum() == pytest.approx(whole, rel=5e-3)
    assert bent.mass.sum() == pytest.approx(1000.0 * bent.volume.sum(), rel=1e-12)
    # Turned as a whole they bear no stress.
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    assert np.abs(bent.forces(bent.rest @ turn.T)).max() < 1e-8 * 1e6


def test_elements_bent_inside_out_are_refused():
    def far(ends):
        return ends.mean(axis=1) + [0.9, 0.0, 0.0]

    with pytest.raises(SceneError, match="bent inside out"):
        deformable(*box_grid((1, 1, 1), (1.0, 1.0, 1.0)), 1e6, 0.3, 1000.0, element="t10", bend=far)
