"""A contact problem with one damaged field is refused in a sentence: never a crash, never a silent answer."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import problem_cases as cases
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stiction.solver.methods import solve
from stiction.solver.problem import ProblemError
from stiction.solver.scene_io.problem_file import digest, load_problem, save_problem

FILES = sorted((cases.DATA / "contact_problems").glob("*.npz"))
SMALL = [path for path in FILES if path.stat().st_size < 60_000][:6]
INTEGERS = [-(2**62), -(10**6), -2, -1, 0, 1, 2, 3, 7, 10**6, 2**62]
NUMBERS = [np.nan, np.inf, -np.inf, -1e300, -1.0, 0.0, 1.0, 1e300]


def own_arrays(tmp_path):
    """The arrays of one of our own files with a block of every kind, without its digest."""
    path = tmp_path / "mixed.npz"
    save_problem(path, cases.mixed_problem(3).problem)
    with np.load(path) as data:
        return {key: data[key] for key in data.files if key != "digest"}


def body_arrays(tmp_path):
    """The arrays of our own file of a problem that knows its masses."""
    path = tmp_path / "bodies.npz"
    save_problem(path, load_problem(cases.DATA / "contact_problems" / "slide60_t0.3.npz"))
    with np.load(path) as data:
        return {key: data[key] for key in data.files if key != "digest"}


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    public = []
    for path in SMALL:
        with np.load(path, allow_pickle=False) as data:
            public.append({key: data[key] for key in data.files})
    return [own_arrays(folder), body_arrays(folder), *public]


def damaged(draw, source):
    """A copy of {name: array} with one field damaged, and what was done."""
    arrays = dict(source)
    key = draw(st.sampled_from(sorted(arrays)))
    array = np.array(arrays[key])
    how = draw(st.sampled_from(["entry", "entry", "entry", "short", "long", "shape", "type", "gone", "empty"]))
    if how == "entry" and array.size and array.dtype.kind in "iuf":
        values = INTEGERS if array.dtype.kind in "iu" else NUMBERS
        flat = array.reshape(-1)
        at = draw(st.integers(0, flat.size - 1))
        with np.errstate(all="ignore"):
            flat[at] = np.array(draw(st.sampled_from(values))).astype(array.dtype)
        arrays[key] = flat.reshape(array.shape)
    elif how == "short":
        arrays[key] = array[:-1] if array.ndim and len(array) else np.zeros(3)
    elif how == "long":
        arrays[key] = np.concatenate([array, array]) if array.ndim else np.stack([array] * 2)
    elif how == "shape":
        arrays[key] = array.reshape(-1, 1)
    elif how == "type":
        arrays[key] = draw(st.sampled_from([array.astype(str), array.astype(float) + 0.5, array.astype(complex)])) \
            if array.dtype.kind in "iuf" else np.zeros(2)  # fmt: skip
    elif how == "gone":
        del arrays[key]
    else:
        arrays[key] = np.zeros((0, *array.shape[1:]), dtype=array.dtype) if array.ndim else np.array(-1)
    return arrays, f"{key}: {how}"


@st.composite
def choices(draw):
    return draw(st.integers(0, 10**6)), draw(st.data())


def answer_or_refusal(path):
    """Load and solve; the answer's report, or None where it was refused in one sentence."""
    try:
        problem = load_problem(path)
        impulse = np.zeros(problem.row_count)
        from stiction.solver.methods.method_options import ProxOptions

        return solve(problem, impulse, "prox", ProxOptions(max_iterations=20))
    except ProblemError as refusal:
        assert "\n" not in str(refusal) and len(str(refusal)) < 600
        return None


def try_damages(sources, folder, data):
    arrays, _ = damaged(data.draw, sources[data.draw(st.integers(0, len(sources) - 1))])
    path = folder / "damaged.npz"
    np.savez(path, **arrays)
    report = answer_or_refusal(path)
    # What is left is another good problem: the judge grades it like any.
    assert report is None or report.residual >= 0.0


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(data=st.data())
def test_one_damaged_field_never_crashes(sources, tmp_path_factory, data):
    try_damages(sources, tmp_path_factory.getbasetemp(), data)


@pytest.mark.slow(hours=True)
@settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_one_damaged_field_never_crashes_in_ten_thousand(sources, tmp_path_factory, data):
    try_damages(sources, tmp_path_factory.getbasetemp(), data)


@pytest.mark.parametrize("key", ["kind", "mu", "law", "J_data", "G_data", "bounds", "b", "dof_count"])
def test_a_number_changed_in_our_own_file_is_noticed(tmp_path, key):
    path = tmp_path / "own.npz"
    save_problem(path, cases.mixed_problem(3).problem)
    with np.load(path) as data:
        arrays = {name: data[name] for name in data.files}
    # Still a sound problem, but another one.
    arrays[key] = arrays[key] + np.ones((), dtype=arrays[key].dtype)
    np.savez(path, **arrays)
    with pytest.raises(ProblemError, match="not those that were written"):
        load_problem(path)
    arrays["digest"] = digest({name: a for name, a in arrays.items() if name not in ("digest", "stiction_problem")})
    np.savez(path, **arrays)
    if key in ("mu", "J_data", "G_data", "bounds", "b", "dof_count"):
        load_problem(path)


DAMAGES = {
    "J_start": (lambda a: a + 1000, "J.start"),
    "G_start": (lambda a: a - 1000, "G.start"),
    "G_offset": (lambda a: a + 10**6, "G.offset"),
    "J_size": (lambda a: a * 0, "J.size"),
    "J_indptr": (lambda a: a[::-1].copy(), "J.indptr"),
    "b": (lambda a: a[:-1], "b has shape"),
    "row_start": (lambda a: np.concatenate([a[:1], a[1:] + 3]), "rows"),
    "compliance_offset": (lambda a: a + 10**6, "compliance_offset"),
    "kind": (lambda a: a + 9, "of kind"),
    "law": (lambda a: a + 9, "friction law"),
    "dof_count": (lambda a: np.int64(3), "velocity component"),
    "sides": (lambda a: np.int64(1), "sides"),
    "mass_offset": (lambda a: a + 10**6, "inverse_mass.offset"),
    "mass_start": (lambda a: a + 1, "inverse_mass.start"),
    "mass_data": (lambda a: a * np.nan, "inverse_mass.data"),
}


@pytest.mark.parametrize("key", DAMAGES)
def test_each_array_is_checked_and_named(tmp_path, key):
    change, words = DAMAGES[key]
    arrays = body_arrays(tmp_path) if key.startswith("mass") else own_arrays(tmp_path)
    arrays[key] = change(arrays[key])
    np.savez(tmp_path / "damaged.npz", **arrays)
    with pytest.raises(ProblemError, match="damaged") as refusal:
        load_problem(tmp_path / "damaged.npz")
    assert words in str(refusal.value)


@pytest.mark.parametrize("key", ["W_indices", "W_indptr"])
def test_indices_of_a_public_problem_are_checked(sources, tmp_path, key):
    arrays = dict(sources[2])
    arrays[key] = arrays[key] + 1000
    np.savez(tmp_path / "wild.npz", **arrays)
    with pytest.raises(ProblemError, match=key):
        load_problem(tmp_path / "wild.npz")


def test_the_edges_of_what_is_allowed():
    """One past the last component, one below zero: the least that is wrong is refused, and what touches it is not."""
    good = cases.mixed_problem(3).problem
    good.check()
    for rows in ("J", "G"):
        segments = getattr(good, rows)
        start, offset = segments.start.copy(), segments.offset.copy()
        start[-1] = good.dof_count - segments.size[-1] + 1
        with pytest.raises(ProblemError, match=rf"{rows}\.start"):
            replace(good, **{rows: segments._replace(start=start)}).check()
        offset[np.argmax(offset)] += 1
        with pytest.raises(ProblemError, match=rf"{rows}\.offset"):
            replace(good, **{rows: segments._replace(offset=offset)}).check()
    mu, bounds = good.mu.copy(), good.bounds.copy()
    mu[0, 1], bounds[3] = -1e-9, (1.0, 1.0 - 1e-9)
    with pytest.raises(ProblemError, match="friction"):
        replace(good, mu=mu).check()
    with pytest.raises(ProblemError, match="bound"):
        replace(good, bounds=bounds).check()


def test_other_files_are_refused(tmp_path):
    np.save(tmp_path / "one.npy", np.zeros(3))
    (tmp_path / "text.npz").write_text("no archive")
    empty = {"W_data": np.zeros((0, 3, 3)), "W_indices": np.zeros(0, int), "W_indptr": np.zeros(1, int),
             "q": np.zeros(0), "mu": np.zeros(0)}  # fmt: skip
    np.savez(tmp_path / "empty.npz", **empty)
    for name, words in (("one.npy", "one array"), ("text.npz", "no .npz"), ("empty.npz", "no contact"), ("", "folder")):
        with pytest.raises(ProblemError, match=words):
            load_problem(tmp_path / name)


def test_a_wild_index_made_in_python_is_refused_too():
    """In a process of its own: where this fails, it fails by SIGSEGV."""
    code = (
        "import sys; sys.path.insert(0, 'tests'); import conftest\n"
        "import dataclasses, numpy as np, problem_cases as cases\n"
        "from stiction.solver.methods import solve\n"
        "p = cases.mixed_problem(3).problem\n"
        "p = dataclasses.replace(p, J=p.J._replace(start=p.J.start + 10**9))\n"
        "try:\n    solve(p, None, 'prox')\nexcept ValueError as error:\n    print(error)\n"
    )
    root = cases.DATA.parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0 and "J.start[0] is 1000000000" in done.stdout, done.stderr
