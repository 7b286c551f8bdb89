"""Paths named in the docs exist, and the snippets in them run."""

import re
import shlex
from pathlib import Path

import pytest
from marks import few

from stiction.solver.model import compile_scene
from stiction.solver.scene_io.scene_file import scene_from_json

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").glob("*.md"))]


def page_id(path):
    return path.name


# Paths of the repository among the words in backticks, and sources named alone. NAME stands for any, and out/ holds
# what runs write.
ROOMS = "solver|tests|tools|docs|benchmarks|blender_addon|operators|ui|examples"
PATH = re.compile(rf"(?!.*\bNAME\b)(?:(?:{ROOMS})/[\w./-]*|(?!out/)[\w./-]+/[\w-]+\.(?:py|md|json|toml|npz|sh|yml))")
SOURCE = re.compile(r"\w+\.py")


def named_in(text):
    """(paths, sources named alone) of the words in backticks of a page."""
    words = {word.split("::")[0] for quoted in re.findall(r"`([^`\n]+)`", text) for word in quoted.split()}
    return [{word for word in words if kind.fullmatch(word)} for kind in (PATH, SOURCE)]


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_named_paths_exist(page):
    text = page.read_text(encoding="utf-8")
    paths, sources = named_in(text)
    linked = {link for link in re.findall(r"\]\(([^)#]+)\)", text) if not link.startswith("http")}
    known = {path.name for top in ROOMS.split("|") for path in (ROOT / top).rglob("*.py")}
    missing = [path for path in paths if not (ROOT / path).exists()] + sorted(sources - known)
    missing += [path for path in linked if not (page.parent / path).exists()]
    assert not missing, f"{page.name} names what is not there: {missing}"


def test_paths_are_found_in_a_page():
    text = "`solver/none.py::test_x`, `dynamics/none.py`, `tools/none.py -x`, `none.py`, `out/a.json`, `NAME/none.py`"
    assert named_in(text) == [{"solver/none.py", "dynamics/none.py", "tools/none.py"}, {"none.py"}]


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_python_snippets_run(page, capsys):
    for snippet in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
        exec(compile(snippet, page.name, "exec"), {"__name__": "snippet"})


def test_readme_slide_is_what_it_says(capsys):
    snippet = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S).group(1)
    exec(compile(snippet, "README.md", "exec"), {"__name__": "snippet"})
    slid = float(capsys.readouterr().out.strip("[] \n").split()[0])
    assert slid == pytest.approx(3.0**2 / (2 * 0.3 * 9.81), abs=1e-4)


def test_scene_file_of_the_docs_compiles():
    import json

    text = re.search(r"```json\n(.*?)```", (ROOT / "docs" / "formats.md").read_text(encoding="utf-8"), re.S).group(1)
    model, _ = compile_scene(scene_from_json(json.loads(text)))
    assert model.names == ("b1",)


@pytest.mark.parametrize(("page", "least"), [("trust.md", 41), ("for-blender-users.md", 30)])
def test_pages_name_tests_that_exist(page, least):
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "docs" / page).read_text(encoding="utf-8"))
    assert len(named) >= least
    for path, name in named:
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path} has no {name}"


def test_every_complaint_of_blender_users_has_its_tests():
    text = (ROOT / "docs" / "for-blender-users.md").read_text(encoding="utf-8")
    points = re.split(r"^\*\*(\d+)\. ", text, flags=re.M)[1:]
    assert [int(number) for number in points[::2]] == list(range(1, 18))
    assert all("::test_" in point for point in points[1::2])


def shown_commands():
    """Commands of README.md and docs/methods.md that need no window, no file of the reader's and little time."""
    for page in ("README.md", "docs/methods.md", "docs/papers.md", "docs/scenes.md"):
        for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
            command = line.strip().removeprefix("$ ").removeprefix(".venv/bin/")
            if command.startswith("stiction "):
                yield page, command.split("#")[0].strip()


@pytest.mark.parametrize(("page", "command"), sorted(set(shown_commands())))
def test_shown_commands_are_understood(page, command):
    """Every command of the docs parses: verb, flags and their values exist."""
    from stiction.solver.cli import build_parser

    arguments = shlex.split(re.sub(r"\[[^]]*\]", "", command.split("|")[0]))[1:]
    try:
        build_parser().parse_args(arguments)
    except SystemExit as end:
        assert end.code == 0, f"{page}: {command}"


# Files of the reader that shown commands name, and what stands for them. The study of docs/studies.md takes hours.
STANDS_FOR = {"PROBLEM.npz": "problem.npz", "SCENE": "nncg_stack4", "scene.json": "my_scene.json"}


def commands_of(page):
    """The stiction commands that a page shows, in their order."""
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        command = line.strip().removeprefix("$ ").removeprefix(".venv/bin/")
        if line.startswith((" ", "$", ".venv", "stiction")) and command.startswith("stiction "):
            yield shlex.split(command.split("#")[0])[1:]


@pytest.mark.parametrize("page", few(["README.md", "docs/contacts.md", "docs/methods.md", "docs/papers.md"],
                                     "README.md", "docs/contacts.md"))  # fmt: skip
def test_shown_commands_run(page, tmp_path, monkeypatch, capsys):
    """Every command of a page, one after another in an empty folder with a scene and a problem of the reader's."""
    from stiction.solver.cli import main
    from stiction.solver.scene_io.scene_file import save_scene
    from stiction.solver.scenes import build

    monkeypatch.chdir(tmp_path)
    save_scene(tmp_path / "my_scene.json", build("sliding_block"))
    data = ROOT / "tests" / "data" / "contact_problems" / "stack10_t0.5.npz"
    (tmp_path / "problem.npz").write_bytes(data.read_bytes())
    ran = 0
    for command in commands_of(page):
        command = [STANDS_FOR.get(word, word) for word in command]
        code = main(command)
        # compare and solve end with 1 where a method missed its tolerance: that is an answer.
        assert code == 0 or (code == 1 and command[0] in ("compare", "solve")), f"{page}: {command} ended with {code}"
        ran += 1
    assert ran >= 1
