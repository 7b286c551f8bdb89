"""An independent check of a recorded run, in plain numpy: it imports nothing of the solver, and reads its files alone.

What is checked is stated in docs/verify.md, equation by equation. Read first `mechanics` (equations of bodies) and
`reading` (files as arrays, and what follows from them); then what is found of `bodies`, of contacts (`laws`, `bounces`,
`shapes`), of `joints`, of deformable bodies (`elastic`, `soft`) and of `energy`.

A finding is a name, a unit, numbers (n,), what is allowed (n,), substeps (n,), and names (n,) of what it is about.
"""

import numpy as np

from .bodies import chain, momentum, motion
from .energy import energy
from .joints import joints
from .laws import contacts
from .reading import NotVerifiable, Run
from .shapes import overlaps
from .soft import deformables

__all__ = ["NotVerifiable", "table", "verify"]
PARTS = chain, motion, momentum, contacts, overlaps, deformables, joints, energy


def verify(folder):
    """Check a recorded run and return its summary: run, versions, digests, steps, substeps, contacts, passed, and
    checks: [{name, unit, found, allowed, passed, step, time, where}, ...].

    Raises NotVerifiable where the folder holds no run that can be checked.
    """
    run = Run(folder)
    checks = [_worst(run, *finding) for part in PARTS for finding in part(run)]
    return {
        "run": str(folder), "scene": run.header["scene"], "scene_digest": run.header["digest"],
        "versions": {**run.header["versions"], "verified_with_numpy": np.__version__}, "digests": run.digests(),
        "steps": len(run.steps["time"]), "substeps": len(run.step), "contacts": len(run.gap),
        "passed": all(check["passed"] for check in checks), "checks": checks,
    }  # fmt: skip


def _worst(run, name, unit, found, allowed, substep, *who):
    """A finding at the worst of its places; passed: nowhere was more found than is allowed."""
    allowed, passed = np.broadcast_to(allowed, found.shape), bool(np.all(found <= allowed))
    out = {"name": name, "unit": unit, "found": 0.0, "allowed": 0.0, "passed": passed}
    if len(found) == 0:
        return out | {"step": -1, "time": 0.0, "where": ""}
    i = int(np.argmax(np.where(np.isfinite(found), found / np.maximum(allowed, 1e-300), np.inf)))
    where, when = " and ".join(names[i] for names in who), substep[i]
    return out | {"found": float(found[i]), "allowed": float(allowed[i]), "step": int(run.step[when]),
                  "time": float(run.time[when]), "where": where}  # fmt: skip


def table(found):
    """Lines on what `verify` returned: one a check, with its worst place."""
    lines = [f"{found['scene']}: {found['steps']} steps, {found['substeps']} substeps, {found['contacts']} contacts"]
    for check in found["checks"]:
        mark = "ok  " if check["passed"] else "FAIL"
        place = f"  step {check['step']}, {check['where']}" if check["where"] else f"  step {check['step']}"
        number = f"{check['found']:.3g} {check['unit']}, allowed {check['allowed']:.3g}"
        lines.append(f"{mark} {check['name']}: {number}{place}")
    return [*lines, "passed" if found["passed"] else "NOT passed"]
