"""How much too stiff a mesh is, as the estimate says, beside the answer of a fine one."""

import functools
from itertools import product
from math import factorial

import numpy as np
import pytest
from marks import few
from soft_scenes import cube, scene

from stiction.solver.dynamics.elastic.checks.mesh_error import mesh_error, own_load, rest_answer, turned_back
from stiction.solver.dynamics.elastic.checks.tet_points import density_of, tet_points
from stiction.solver.dynamics.elastic.deformable import deformable
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.results.mesh_notes import mesh_notes, mesh_sentence
from stiction.solver.results.summary import run_summary
from stiction.solver.results.verdict import InSeconds
from stiction.solver.scene import Body, Elastic
from stiction.solver.shapes import Tetrahedra
from stiction.solver.simulation import SimulationOptions, simulate

GRAVITY = np.array([0.0, 0.0, -9.81])


def beam(ends, ratio, poisson, cells, element):
    """A beam 0.1 m thick and `ratio` times as long, held at one or both ends."""
    long = 0.1 * ratio
    vertices, tets = box_grid(cells, (long, 0.1, 0.1), low=(0, 0, 0))

    def pinned(x):
        return (x[:, 0] < 1e-9) | ((ends == 2) & (x[:, 0] > long - 1e-9))

    return deformable(vertices, tets, 1e7, poisson, 1000.0, element=element, pinned=pinned)


def work(body):
    """Work [J] of a body's own weight on it, at small strain."""
    load, u = rest_answer(body, density_of(body, body.mass[:, None] * GRAVITY))
    return float((load * u).sum())


# A beam of 10 x 2 x 2 quadratic elements of Poisson's ratio .49 is off by 4.8 %, and more than that is known of none.
BEAMS = [(2, 10, 0.3, (10, 1, 1)), (1, 5, 0.3, (6, 1, 1)), (2, 10, 0.49, (10, 2, 2)), (1, 5, 0.45, (6, 2, 2))]


@functools.cache
def fine_work(ends, ratio, poisson):
    """Work of a beam of so many elements that more change it little."""
    return work(beam(ends, ratio, poisson, (36, 5, 5), "t10"))


@pytest.mark.parametrize("element", ["t4", "t10"])
@pytest.mark.parametrize(("ends", "ratio", "poisson", "cells"), few(BEAMS, *BEAMS[2:]))
def test_the_estimate_is_right_within_a_factor_of_two(ends, ratio, poisson, cells, element):
    body = beam(ends, ratio, poisson, cells, element)
    true = fine_work(ends, ratio, poisson) / work(body) - 1.0
    found = mesh_error(body, body.mass[:, None] * GRAVITY)
    if abs(true) > 0.03:
        assert 0.5 <= found / true <= 2.0
    else:
        assert abs(found - true) < 0.03


def test_a_body_that_nothing_holds_is_judged_by_the_loads_that_bend_it():
    stiff = [mesh_error(body, own_load(body, GRAVITY))
             for body in (deformable(*box_grid((10, 1, 1), (1.0, 0.1, 0.1)), 1e7, 0.3, 1000.0, element=element)
                          for element in ("t4", "t10"))]  # fmt: skip
    assert stiff[0] > 0.5 and abs(stiff[1]) < 0.1


def test_turning_changes_no_estimate():
    body = beam(2, 5, 0.3, (5, 1, 1), "t4")
    u = rest_answer(body, density_of(body, body.mass[:, None] * GRAVITY))[1] * 1e-3
    c, s = np.cos(1.0), np.sin(1.0)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    found = [mesh_error(body, turned_back(body, x)) for x in (body.rest + u, (body.rest + u) @ R.T)]
    assert found[1] == pytest.approx(found[0], rel=1e-6)


def test_a_run_says_how_much_too_stiff_a_beam_was():
    vertices, tets = box_grid((10, 1, 1), (1.0, 0.1, 0.1))
    pins = (((-0.51, -1.0, -1.0), (-0.499, 1.0, 1.0)), ((0.499, -1.0, -1.0), (0.51, 1.0, 1.0)))
    held = Body("beam", Tetrahedra(vertices, tets), elastic=Elastic(young=1e7, damping=(0.0, 0.05), pins=pins))
    run = simulate(scene(held), SimulationOptions(time=0.2))
    summary = run_summary(run)
    wanted = mesh_error(beam(2, 10, 0.3, (10, 1, 1), "t4"), beam(2, 10, 0.3, (10, 1, 1), "t4").mass[:, None] * GRAVITY)
    assert summary["mesh_error"]["beam"] == pytest.approx(wanted, rel=0.1)
    assert summary["mesh_error"]["beam"] > 1.0 and summary["verdict"] == "usable", "twice as stiff is not good"
    assert "body 'beam': its mesh is" in summary["reasons"][0] and "use accurate elements" in summary["reasons"][0]


def test_what_is_not_deformed_is_not_judged():
    run = simulate(scene(cube(velocity=(1.0, 0.0, 0.0)), gravity=(0.0, 0.0, 0.0)), SimulationOptions(time=0.05))
    assert run_summary(run)["mesh_error"].get("cube") is None


@pytest.mark.parametrize("count", [1, 2])
def test_a_body_that_turns_about_its_pins_is_not_judged(count):
    """Pins at one node, or along one edge: its stiffness alone has no answer."""
    body = beam(2, 4, 0.3, (4, 1, 1), "t4")
    body.pinned[:] = False
    body.pinned[:count] = True
    assert mesh_error(body, body.mass[:, None] * GRAVITY) is None


def test_sentences():
    assert mesh_sentence(0.02, 4, "x", "y") == "" and mesh_sentence(None, 4, "x", "y") == ""
    assert mesh_sentence(1.066, 4, "now", "refine") == "its mesh is 107 % too stiff now: refine"
    said = mesh_sentence(0.066, 10, "now", "y")
    assert said == "its mesh is 7 % too stiff now: halve the element size, about 3 % then"
    found = {"pad": {"stiff": -0.05, "nodes": 10, "time": 0.5}, "rest": {"stiff": 0.01, "nodes": 4, "time": 0.5}}
    assert [note.split(":")[0] for note in mesh_notes(found, InSeconds())] == ["body 'pad'"]
    assert "soft" in mesh_notes(found, InSeconds())[0]
    many = {str(k): {"stiff": 0.1 * k, "nodes": 4, "time": 0.5} for k in range(10)}
    limits = (), (0.03, 0.5), (0.5,), (0.95,)
    assert [len(mesh_notes(many, InSeconds(), *both)) for both in limits] == [1, 1, 1, 0]
    assert mesh_notes(many, InSeconds())[0].endswith(
        "body '9': its mesh is 90 % too stiff for the loads it has at 0.5 s, where it is deformed most: use accurate "
        "elements (t10); 8 others alike, by 10 % or more"
    )


def test_points_of_a_tetrahedron_are_exact_to_fifth_order():
    """The mean of x^i y^j z^k over the unit tetrahedron is 6 i! j! k! / (i + j + k + 3)!."""
    places, weights = tet_points()
    for i, j, k in product(range(6), repeat=3):
        exact = 6 * factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3)
        off = abs(weights @ (places[:, 1:] ** (i, j, k)).prod(axis=1) - exact)
        assert off < 1e-15 if i + j + k <= 5 else off > 0.0
