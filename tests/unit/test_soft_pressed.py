"""Bodies that are pressed far: their force, their way back, and what is said of elements that are pressed too far."""

import numpy as np
import pytest
from soft_scenes import FLOOR, cube, scene

from stiction.solver.dynamics.elastic.checks.squeezed import squeezed
from stiction.solver.dynamics.elastic.deformable import deformable
from stiction.solver.meshes.tet_grids import box_grid, hollow_grid
from stiction.solver.results.summary import run_summary
from stiction.solver.results.verdict import judge
from stiction.solver.scene import Body, Elastic, KeyedPoses, Motion
from stiction.solver.shapes import Box, Tetrahedra
from stiction.solver.simulation import SimulationOptions, simulate

SIDE, YOUNG = 0.1, 1e5
PINS = (((-1.0, -1.0, -1e-6), (1.0, 1.0, 1e-6)),)


def press(law, least, cells=1, poisson=0.0):
    """A cube with its foot pinned, pressed to `least` of its height in 0.3 s, held 0.1 s and let go in 0.2 s."""
    times = np.array([0.0, 0.3, 0.4, 0.6])
    path = np.array([[0.0, 0.0, (height + 0.5) * SIDE] for height in (1.0, least, least, 1.2)])
    plate = Body("plate", Box((0.3, 0.3, SIDE)), motion=Motion.KINEMATIC, position=tuple(path[0]),
                 keys=KeyedPoses(times, path, np.tile([1.0, 0.0, 0.0, 0.0], (4, 1))))  # fmt: skip
    soft = cube("soft", cells, SIDE, (0.0, 0.0, 0.5 * SIDE), YOUNG, poisson, law=law, damping=(0.0, 3e-3), pins=PINS)
    return scene(soft, plate, friction=0.0, gravity=(0.0, 0.0, 0.0))


def pressed(law, least, **other):
    """(force [N] of the plate when it is lowest, height at the end in parts of that at rest, summary)."""
    pushed = []

    def watch(done, state, report, rows):
        if done == 40:
            pushed.append(rows[:, 0].sum() / 0.01)

    run = simulate(press(law, least, **other), SimulationOptions(time=0.8, time_step=0.01), watch=watch)
    return pushed[0], np.ptp(run.node_positions[-1][:, 2]) / SIDE, run_summary(run)


@pytest.mark.slow
@pytest.mark.parametrize(("law", "share"), [("ciarlet_geymonat", (1 / 0.52 - 0.52) / 2), ("hill_ogden", 0.238)])
def test_what_is_pressed_to_half_comes_back(law, share):
    force, height, summary = pressed(law, 0.52)
    assert force == pytest.approx(share * YOUNG * SIDE**2, rel=0.01)
    assert height == pytest.approx(1.0, abs=0.01)
    assert not any("pressed too far" in note for note in summary["notes"])


def test_what_is_stored_all_the_time_covers_no_vibration():
    """Of a cube that was pressed, and of fingers that gas bends, 2 % of all energy were owed to later steps for what
    pressing took: vibrations with the step's own frequency grew on it until a gripper's ball shook by 20 mm/s."""
    run = simulate(press("ciarlet_geymonat", 0.7), SimulationOptions(time=0.4, time_step=0.01))
    stored = run.steps["elastic"][-1]
    assert stored > 0.5 * YOUNG * SIDE**3 * 0.3**2 * 0.5
    assert run.state.nodes.credit.max() < 1e-5 * stored


@pytest.mark.slow
def test_a_law_that_gives_way_is_named():
    """Stable Neo-Hookean without Poisson's effect: its force falls from 0.693 of the height on."""
    force, _, summary = pressed("neo_hookean", 0.52)
    # Its foot is pinned, which keeps some of it upright.
    assert force < 0.6 * (1 / 0.52 - 0.52) / 2 * YOUNG * SIDE**2
    said = [note for note in summary["notes"] if "pressed too far" in note]
    assert len(said) == 1 and "body 'soft'" in said[0] and "ciarlet_geymonat" in said[0]


def words_of(**counts):
    """Word of the verdict on the same run with other elements pressed too far, of 648."""
    run = simulate(press("ciarlet_geymonat", 0.9), SimulationOptions(time=0.05, time_step=0.01))
    words = {}
    for name, three in counts.items():
        run.header["squeezed"] = {"soft": {"since": 0.01, "at": 0.02, "counts": three, "elements": 648}}
        verdict = judge(run)
        words[name] = verdict.word
        assert any("body 'soft'" in reason and "pressed too far" in reason for reason in verdict.reasons)
    run.header["squeezed"] = {}
    return words | {"none": judge(run).word}


def test_a_body_whose_elements_are_crushed_is_poor():
    """A quarter of a body below a twentieth of its volume was called usable."""
    assert words_of(crushed=[0, 157, 0], folded=[9, 0, 0], few=[2, 3, 0], past=[0, 0, 300]) == {
        "crushed": "poor", "folded": "poor", "few": "usable", "past": "usable", "none": "good",
    }  # fmt: skip


def flat(element, stretch):
    """A cube of 2 x 2 x 2 cells at `stretch` of its height."""
    vertices, tets = box_grid((2, 2, 2), (1.0, 1.0, 1.0))
    body = deformable(vertices, tets, 1e6, 0.3, 1000.0, law="neo_hookean", element=element)
    return body, body.rest * [1.0, 1.0, stretch]


@pytest.mark.parametrize("element", ["t4", "t10"])
def test_elements_are_counted(element):
    for stretch, wanted in ((0.9, (0, 0, 0)), (0.04, (0, 1, 0)), (-0.2, (1, 0, 0)), (0.3, (0, 0, 1))):
        body, x = flat(element, stretch)
        count = len(body.elements)
        assert squeezed(body, x) == tuple(count if k else 0 for k in wanted)


def test_a_corner_that_folds_is_seen_where_no_point_is():
    body, x = flat("t10", 1.0)
    # A middle node of an edge moved along it folds the corner that it comes near to.
    a, b, middle = body.elements[0][[0, 1, 4]]
    x[middle] = 0.3 * x[b] + 0.7 * x[a] - 0.06 * (x[b] - x[a])
    assert body.energy(x)[1] > 0.0
    assert squeezed(body, x).inside_out > 0


def test_a_stiff_block_in_a_press_without_gravity_is_good():
    """Nothing moves and nothing weighs: what solves leave open is little beside what is stored."""
    plate, T = Box((0.6, 0.6, 0.1)), 0.1
    places = np.array([(0.0, 0.0, 0.25), (0.0, 0.0, 0.248), (0.0, 0.0, 0.248)])
    keys = KeyedPoses(np.array([0.0, T, 2 * T]), places, np.tile([1.0, 0, 0, 0], (3, 1)))
    bodies = [Body("floor", plate, motion=Motion.STATIC, position=(0.0, 0.0, -0.05)),
              Body("top", plate, motion=Motion.KINEMATIC, position=(0.0, 0.0, 0.25), keys=keys),
              cube(young=2e10)]  # fmt: skip
    made = simulate(scene(*bodies, friction=0.3, gravity=(0.0, 0.0, 0.0)), SimulationOptions(time=2 * T))
    assert made.steps["converged"].all() and judge(made).word == "good"


def test_a_block_of_steel_in_a_press_bears_the_force_of_its_strain():
    """It bore an eighth of it, and was good: solves were acceptable by what impulses would give its mass, of which its
    stiffness leaves little."""
    size, way, T = 0.2, 1e-4, 0.04
    places = np.array([(0.0, 0.0, size + 0.05 - depth) for depth in (0.0, way, way)])
    keys = KeyedPoses(np.array([0.0, T, 2 * T]), places, np.tile([1.0, 0, 0, 0], (3, 1)))
    top = Body("top", Box((0.6, 0.6, 0.1)), motion=Motion.KINEMATIC, position=tuple(places[0]), keys=keys)
    steel = cube(cells=3, young=1e11, element="t10", damping=(0.0, 0.01))
    made = simulate(scene(FLOOR, steel, top, friction=0.0, gravity=(0.0, 0.0, 0.0)), SimulationOptions(time=1.5 * T))
    assert made.steps["elastic"][-1] == pytest.approx(0.5 * 1e11 * size * way**2, rel=0.02)


def test_damping_takes_energy_and_gives_none():
    """Of a body too stiff for its steps too, where its forces do work on the way that nodes go by halves."""
    thrown = cube(position=(0.0, 0.0, 0.3), young=1e9, damping=(0.0, 0.02), velocity=(0.0, 0.0, -2.0),
                  orientation=(0.96, 0.28, 0.0, 0.0))  # fmt: skip
    ground = Body("ground", Box((4.0, 4.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))
    made = simulate(scene(ground, thrown), SimulationOptions(time=0.3))
    assert made.steps["contact_count"].any() and made.steps["damping_work"].max() <= 0.0


def test_what_gas_gives_is_no_energy_from_nowhere():
    ticks, filled = np.linspace(-0.15, 0.15, 4), np.ones((3, 3, 3), dtype=bool)
    filled[1, 1, 1] = False
    gas = Elastic(young=1e6, pressure=((0.0, 0.0), (0.1, 2e4)))
    balloon = Body("balloon", Tetrahedra(*hollow_grid((ticks,) * 3, filled)), elastic=gas)
    made = simulate(scene(balloon, gravity=(0.0, 0.0, 0.0)), SimulationOptions(time=0.1, time_step=0.005))
    assert made.steps["elastic"][-1] > 0.0 and judge(made).word == "good"
