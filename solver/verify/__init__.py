"""An independent check of a recorded run, in plain numpy: it imports nothing of the solver, and reads its files alone.

What is checked is stated in docs/verify.md, equation by equation. `reading` reads the files, `mechanics` holds the
equations of rigid bodies, `shapes` measures distances, `laws` holds the laws of contacts, `joints` those of joints,
`elastic` and `soft` those of deformable bodies, `checks` and `energy` compare.
"""

import numpy as np

from .checks import Checker
from .energy import energy
from .reading import NotVerifiable, Run

__all__ = ["NotVerifiable", "table", "verify"]
PARTS = (Checker.chain, Checker.motion, Checker.momentum, Checker.contacts, Checker.overlaps, Checker.deformables,
         Checker.joints, energy)  # fmt: skip


def verify(folder):
    """Check a recorded run and return its summary: run, versions, digests, steps, substeps, contacts, passed, and
    checks: [{name, unit, found, allowed, passed, step, time, where}, ...].

    Raises NotVerifiable where the folder holds no run that can be checked.
    """
    run = Run(folder)
    checker = Checker(run)
    checks = [check for part in PARTS for check in part(checker)]
    return {
        "run": str(folder), "scene": run.header["scene"], "scene_digest": run.header["digest"],
        "versions": {**run.header["versions"], "verified_with_numpy": np.__version__}, "digests": run.digests(),
        "steps": len(run.steps["time"]), "substeps": len(run.step), "contacts": len(run.gap),
        "passed": all(check["passed"] for check in checks), "checks": checks,
    }  # fmt: skip


def table(found):
    """Lines on what `verify` returned: one a check, with its worst place."""
    lines = [f"{found['scene']}: {found['steps']} steps, {found['substeps']} substeps, {found['contacts']} contacts"]
    for check in found["checks"]:
        mark = "ok  " if check["passed"] else "FAIL"
        place = f"  step {check['step']}, {check['where']}" if check["where"] else f"  step {check['step']}"
        number = f"{check['found']:.3g} {check['unit']}, allowed {check['allowed']:.3g}"
        lines.append(f"{mark} {check['name']}: {number}{place}")
    return [*lines, "passed" if found["passed"] else "NOT passed"]
