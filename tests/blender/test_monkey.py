"""A few of the steps of `make monkey`, each in a Blender of its own: what this finds may end the process."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from marks import few

MONKEY = Path(__file__).with_name("monkey.py")
ROOT = Path(__file__).resolve().parents[2]
# What a context gives out that is no data-block: its owner may be one that was freed (blenders_own_context.py).
NOT_ITS_OWN = {"window", "area", "region", "region_data", "space_data", "tool_settings"}


def steps_to(target):
    """Names of the attributes, from the outside in, of which something is set."""
    while isinstance(target, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(target, ast.Attribute):
            yield target.attr
        target = target.func if isinstance(target, ast.Call) else target.value
    if isinstance(target, ast.Name):
        yield target.id


def set_by_context(tree):
    """Lines that set a property of what a context gives out and does not own."""
    for node in ast.walk(tree):
        for target in getattr(node, "targets", None) or [getattr(node, "target", None)]:
            steps = list(steps_to(target))
            for inner, outer in zip(steps[1:], steps[2:], strict=False):
                if outer == "context" and inner in NOT_ITS_OWN:
                    yield node.lineno


def test_nothing_is_set_by_way_of_the_context_that_may_have_a_freed_owner():
    folders = [ROOT / name for name in ("blender_addon", "operators", "ui")]
    sources = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    sources += [MONKEY, MONKEY.with_name("monkey_steps.py")]
    assert [(path.name, line) for path in sources for line in set_by_context(ast.parse(path.read_text()))] == []
    assert list(set_by_context(ast.parse("bpy.context.window.scene = other"))) == [1]


RIGID = "rigid_body,import_rigid_body,no_rigid_body"


# The last one ended Blender 5.0.1 each time where tools changed the file without a step of undo.
@pytest.mark.parametrize(("seed", "steps", "without"),
                         few([(1, 40, ""), (13, 40, ""), (50042, 43, RIGID)], (50042, 43, RIGID)))  # fmt: skip
def test_nothing_goes_wrong(seed, steps, without, tmp_path):
    log = tmp_path / "log"
    command = [sys.executable, str(MONKEY), str(steps), str(seed), str(log), without]
    child = subprocess.run(command, capture_output=True, text=True, timeout=300)
    last = log.read_text().splitlines()[-5:]
    assert child.returncode == 0, f"{last}\n{child.stdout[-2000:]}\n{child.stderr[-2000:]}"
    assert len(log.read_text().splitlines()) == steps
