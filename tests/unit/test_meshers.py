"""What fills surfaces with tetrahedra: the lattice, and fTetWild where it is installed."""

import numpy as np
import pytest

from stiction.solver.meshes import ftetwild
from stiction.solver.meshes.lattice_fill import fill as fill_by_lattice
from stiction.solver.meshes.tet_grids import tet_volumes
from stiction.solver.model import compile_scene
from stiction.solver.runs.scene_checks import filling_notes
from stiction.solver.scene import Body, Elastic, Scene
from stiction.solver.shapes import Box

needs_ftetwild = pytest.mark.skipif(ftetwild.compiled_module() is None, reason="pytetwild is not installed")


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    """A folder of its own for what is kept."""
    monkeypatch.setattr(ftetwild.kept, "place", lambda *surface: tmp_path / "kept.npz")
    return tmp_path / "kept.npz"


@pytest.fixture
def brick():
    return Box((0.2, 0.4, 0.1)).surface()


@needs_ftetwild
def test_ftetwild_keeps_corners_and_is_kept(brick, store, monkeypatch):
    made = ftetwild.fill(*brick, 0.05)
    volume = 0.2 * 0.4 * 0.1
    assert tet_volumes(made.vertices, made.tets).min() > 0
    assert abs(tet_volumes(made.vertices, made.tets).sum() / volume - 1) < 1e-3
    assert made.dihedral > 5 and made.says().startswith("fTetWild: filled with")
    corners = np.array(np.meshgrid([-0.1, 0.1], [-0.2, 0.2], [-0.05, 0.05])).reshape(3, -1).T
    nearest = np.linalg.norm(made.vertices[:, None] - corners, axis=2).min(axis=0)
    assert nearest.max() < 2e-3, "a lattice cuts them off by half an element"
    # It would be another one if it were made again.
    monkeypatch.setattr(ftetwild, "_run", None)
    again = ftetwild.fill(*brick, 0.05)
    assert np.array_equal(again.vertices, made.vertices) and np.array_equal(again.tets, made.tets)
    assert again[2:5] == made[2:5] and "kept from before" in again.says()


def same(one, other):
    return np.array_equal(one.vertices, other.vertices) and np.array_equal(one.tets, other.tets)


def test_where_it_is_missing_the_lattice_takes_its_place_and_says_so(brick, store, monkeypatch):
    monkeypatch.setattr(ftetwild, "compiled_module", lambda: None)
    made = ftetwild.fill(*brick, 0.05)
    assert same(made, fill_by_lattice(*brick, 0.05))
    says = "fTetWild is not installed (pip install pytetwild); the lattice took its place: filled with"
    assert made.says().startswith(says)
    assert not store.exists(), "installed later, it is asked again"


def test_a_run_tells_that_the_lattice_took_its_place(store, monkeypatch):
    """Also where it fills the body to its last corner, which is nothing to tell of a lattice that was asked for."""
    monkeypatch.setattr(ftetwild, "compiled_module", lambda: None)
    bricks = [Body(mesher, Box((0.2, 0.4, 0.1)), elastic=Elastic(young=1e6, element_size=0.1, mesher=mesher))
              for mesher in ("lattice", "ftetwild")]  # fmt: skip
    model, _ = compile_scene(Scene(tuple(bricks), gravity=(0.0, 0.0, 0.0), excluded_pairs=(("lattice", "ftetwild"),)))
    (note,) = filling_notes(model)
    assert note.startswith("body 'ftetwild': fTetWild is not installed")


FAILURES = [("missing.so", 60.0, "ended with code"), ("x.so", 0.0, "no end in")]


@pytest.mark.parametrize(("module", "limit", "said"), FAILURES)
def test_where_it_fails_the_lattice_takes_its_place(brick, store, monkeypatch, module, limit, said):
    monkeypatch.setattr(ftetwild, "compiled_module", lambda: module)
    monkeypatch.setattr(ftetwild, "LONGEST", limit)
    made = ftetwild.fill(*brick, 0.05)
    assert same(made, fill_by_lattice(*brick, 0.05)) and said in made.says() and not store.exists()


def test_what_misses_the_volume_is_tried_finer_and_then_refused(brick, monkeypatch):
    tried = []
    flat = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]), np.array([[0, 1, 2, 3]])
    monkeypatch.setattr(ftetwild, "compiled_module", lambda: "x.so")
    monkeypatch.setattr(ftetwild, "_run", lambda *arguments: tried.append(arguments[-1]) or flat)
    assert "missed the volume by -98 %" in ftetwild.fill(*brick, 0.05).says()
    assert tried == list(ftetwild.ENVELOPES)


def test_a_damaged_kept_file_is_made_anew(brick, store, monkeypatch):
    store.write_bytes(b"half of it")
    monkeypatch.setattr(ftetwild, "_made", lambda *surface: fill_by_lattice(*surface))
    assert same(ftetwild.fill(*brick, 0.05), fill_by_lattice(*brick, 0.05))
