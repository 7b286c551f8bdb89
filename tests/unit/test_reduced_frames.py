"""What a run keeps of bodies in shape vectors, the nodes that are made from it, and what `verify` finds of both."""

from dataclasses import replace

import numpy as np
import pytest
import verified_scenes
from test_reduced import CUBE, drop, pile

from stiction.solver.cli import main
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.model import compile_scene
from stiction.solver.runs import node_frames
from stiction.solver.scene import Elastic, Reduction
from stiction.solver.shapes import Tetrahedra
from stiction.solver.simulation import options_for, simulate
from stiction.solver.trajectory import Trajectory, read_header, write_header
from stiction.solver.validation.deformable.reduced import beam
from stiction.solver.verify import NotVerifiable, verify

SOFT = replace(CUBE, elastic=Elastic(law="neo_hookean"))


def dented():
    """Two beams, of which one has dents, and a cube of whole elements on one of them."""
    low = replace(beam(Reduction(6, dents=True), cells=(6, 1, 1), position=(0, 0.4, 0.05)), name="dented")
    return verified_scenes.scene("beside", [low, *pile(SOFT).bodies[1:]])


def kept_whole(monkeypatch):
    """Let runs keep all nodes, as they did before there were shape vectors in files."""
    monkeypatch.setattr("stiction.solver.runs.node_frames.shape_vectors", lambda model: [])


@pytest.mark.parametrize("scene", [drop(), pile(SOFT), dented()], ids=lambda scene: scene.name)
def test_nodes_are_those_that_were_simulated(scene, tmp_path, monkeypatch):
    options = options_for(scene, time=0.1, store_contacts=True)
    made = simulate(scene, options, tmp_path / "made")
    with monkeypatch.context() as patched:
        kept_whole(patched)
        whole = simulate(scene, options, tmp_path / "whole")
    for name in ("node_positions", "node_velocities"):
        exact = getattr(whole, name)
        assert np.abs(getattr(made, name) - exact).max() < 1e-13 * max(1.0, np.abs(exact).max())
    sizes = [(tmp_path / name / "nodes.bin").stat().st_size for name in ("made", "whole")]
    # A beam: 18 numbers of its frame and two of each vector, where it had six of each node.
    numbers = [node_frames.NodeRecord(read_header(tmp_path / name)).numbers for name in ("made", "whole")]
    assert sizes == [8 * 11 * number for number in numbers] and sizes[0] < 0.5 * sizes[1]
    start = np.array(made.header["node_start"])
    vectors = [body.reduced.U.shape[2] for body in compile_scene(scene)[0].elastic
               if body is not None and body.reduced is not None and body.reduced.dents is None]  # fmt: skip
    assert [r for r in made.header["shape_vectors"] if r] == vectors
    assert numbers[1] == 6 * start[-1]


def test_a_film_is_kept_in_numbers_of_four_bytes(tmp_path):
    """As nodes were, which is what they are then right to."""
    short = simulate(drop(), options_for(drop(), time=0.2), tmp_path / "short")
    exact = simulate(drop(), options_for(drop(), time=0.2, store_contacts=True), tmp_path / "exact")
    assert short.node_positions.dtype == np.float32
    assert 0.0 < np.abs(short.node_positions - exact.node_positions).max() < 1e-6


def test_a_run_whose_nodes_were_kept_is_read_and_resumed(tmp_path, monkeypatch):
    options, seen = options_for(drop(), time=0.2), []
    with monkeypatch.context() as patched:
        kept_whole(patched)
        whole = simulate(drop(), options, tmp_path / "whole")
        simulate(drop(), options, tmp_path / "part", cancelled=lambda: seen.append(0) or len(seen) > 8)
    header = read_header(tmp_path / "part")
    # Older programs wrote no such entry.
    del header["shape_vectors"]
    write_header(tmp_path / "part", header)
    assert Trajectory.load(tmp_path / "part").node_positions.shape[1] == whole.node_positions.shape[1]
    part = simulate(drop(), options, tmp_path / "part", resume=True)
    assert np.array_equal(part.node_positions, whole.node_positions)
    assert (tmp_path / "part" / "nodes.bin").read_bytes() == (tmp_path / "whole" / "nodes.bin").read_bytes()


def test_a_resumed_run_has_the_bits_of_one_that_was_not_stopped(tmp_path):
    options, seen = options_for(drop(), time=0.2), []
    simulate(drop(), options, tmp_path / "whole")
    simulate(drop(), options, tmp_path / "part", cancelled=lambda: seen.append(0) or len(seen) > 8)
    simulate(drop(), options, tmp_path / "part", resume=True)
    for name in ("nodes.bin", "frames.bin"):
        assert (tmp_path / "part" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_extracted_nodes_are_made_from_the_vectors(tmp_path):
    run = simulate(drop(), options_for(drop(), time=0.1), tmp_path / "run")
    assert main(["extract", str(tmp_path / "run"), str(tmp_path / "run.npz")]) == 0
    with np.load(tmp_path / "run.npz") as found:
        assert np.array_equal(found["node_position"], run.node_positions)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Folder of a recorded run of the drop, whose beam has struck the floor."""
    folder = tmp_path_factory.mktemp("reduced") / "run"
    verified_scenes.recorded(drop(), folder, time=0.3)
    return folder


def copied(recorded, tmp_path):
    """A copy of a run, to be spoilt."""
    for path in recorded.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def failed(folder):
    """Names of the checks of a run that fail."""
    return [check["name"] for check in verify(folder)["checks"] if not check["passed"]]


def test_verify_passes_what_is_right(recorded, tmp_path):
    found = verify(recorded)
    assert found["passed"] and {"nodes.bin", "deformables.npz"} <= set(found["digests"])
    tumbling = replace(beam(Reduction(12), angular_velocity=(6, 5, 4), velocity=(1, 0.2, 0)), position=(0, 0, 2))
    nearly = beam(Reduction(8), young=1e6, position=(0, 0.5, 0.7), angular_velocity=(0, 2, 0))
    nearly = replace(nearly, name="nearly", elastic=replace(nearly.elastic, poisson=0.45, damping=(0.1, 1e-4)))
    bodies = [tumbling, nearly, *pile(SOFT).bodies[1:]]
    verified_scenes.recorded(verified_scenes.scene("many", bodies), tmp_path / "run", time=0.1, tolerance=1e-10)
    assert verify(tmp_path / "run")["passed"]


def test_impacts_of_what_turns_are_the_impact_s(tmp_path):
    """A short beam that comes down turning by a twelfth of a radian a step, until it lies: nodes go no straight way,
    and the scheme gives nothing for that."""
    short = beam(Reduction(4), position=(0, 0, 0.3), angular_velocity=(5, -4, 5), velocity=(0, 0, -1))
    short = replace(short, shape=Tetrahedra(*box_grid((4, 1, 1), (0.2, 0.06, 0.04))))
    made = verified_scenes.recorded(verified_scenes.scene("turning", [short]), tmp_path / "run", time=0.4)
    assert made.steps["impact_loss"].min() < -0.5 * made.steps["kinetic"].max()
    assert made.steps["scheme_loss"].max() < 1e-6 * made.steps["kinetic"].max()
    assert failed(tmp_path / "run") == []


@pytest.mark.parametrize("at", [1, 4, 13, -30, -20, -1])
def test_verify_finds_a_wrong_coordinate(recorded, tmp_path, at):
    """One of the center, of R, of q, and of the twist of the last frame."""
    folder = copied(recorded, tmp_path)
    data = np.fromfile(folder / "nodes.bin").reshape(31, -1)
    data[-1, at] += 1e-8
    data.tofile(folder / "nodes.bin")
    assert failed(folder) == ["the frames are where the nodes are"]


def test_verify_finds_wrong_shape_vectors(recorded, tmp_path):
    folder = copied(recorded, tmp_path)
    with np.load(folder / "deformables.npz") as data:
        arrays = dict(data)
    arrays["shapes"][-5] += 1e-6
    np.savez_compressed(folder / "deformables.npz", **arrays)
    assert "masses and stiffness are diagonal in shape vectors, which have no momentum" in failed(folder)


def test_verify_finds_another_material(recorded, tmp_path):
    """Elasticity and damping are recomputed from the elements."""
    changes = {"mu": lambda given: [1.001 * x for x in given], "damping_ratio": lambda given: 1.01 * given}
    for name, change in changes.items():
        folder = tmp_path / name
        folder.mkdir()
        copied(recorded, folder)

        def edit(data, name=name, change=change):
            given = next(one for one in data["deformable"] if one)
            given[name] = change(given[name])

        verified_scenes.edit_recording(folder, edit)
        assert "momentum of every node or shape vector, with elastic and damping forces" in failed(folder)


@pytest.mark.parametrize("reduction,law", [(Reduction(6, dents=True), "corotational"), (Reduction(4, 4), "stvk")])
def test_verify_says_which_reductions_it_does_not_check(tmp_path, reduction, law):
    body = beam(reduction, cells=(4, 1, 1), position=(0, 0, 0.4))
    body = replace(body, elastic=replace(body.elastic, law=law))
    verified_scenes.recorded(verified_scenes.scene("one", [body]), tmp_path / "run", time=0.02)
    with pytest.raises(NotVerifiable, match="'beam' has a reduction with dents or the law stvk, which cannot"):
        verify(tmp_path / "run")
