"""An independent check of a recorded run in numpy and scipy, which imports nothing of the solver and reads files alone.

What is checked is stated in docs/verify.md, equation by equation. Read first `mechanics` (equations of bodies) and
`reading` (files as arrays, and what follows from them); then what is found of `bodies`, of contacts (`laws`,
`bounces`, `surfaces`), of `joints`, of deformable bodies (`elastic`, `soft`) and of `energy`. Trajectories of other
programs are read by `trajectory` and judged by `others`; `touching` and `explained` say what contacts could have done.

A finding is a name, a unit, numbers (n,), what is allowed (n,), places in time (n,), and names (n,) of what it is of.
"""

from pathlib import Path

import numpy as np

from . import others
from .bodies import chain, momentum, motion
from .energy import energy
from .given import NotVerifiable
from .joints import joints
from .laws import contacts
from .reading import Run
from .shapes import overlaps
from .soft import deformables
from .trajectory import Trajectory

__all__ = ["NotVerifiable", "table", "verify"]
PARTS = chain, motion, momentum, contacts, overlaps, deformables, joints, energy


def verify(path):
    """Check a recorded run, or a trajectory of any program (.npz), and return its summary: run, scene, versions,
    digests, steps, substeps, contacts, passed, and checks: [{name, unit, found, allowed, passed, step, time, where},
    ...], allowed None where a program claims nothing; missing: [[what a trajectory does not tell, why], ...].

    Raises NotVerifiable where nothing is there that can be checked.
    """
    if Path(path).suffix == ".npz" and not Path(path).is_dir():
        run = Trajectory(path)
        found = [(name, unit, each, run.claims.get(unit, np.inf), *places)
                 for name, unit, each, *places in others.findings(run)]  # fmt: skip
    else:
        run = _read(path)
        found = [finding for part in PARTS for finding in part(run)]
    checks = [_worst(run, *one) for one in found]
    summary = run.summary()
    return {
        "run": str(path), **summary, "versions": {**summary["versions"], "verified_with_numpy": np.__version__},
        "passed": all(check["passed"] for check in checks), "checks": checks,
    }  # fmt: skip


def _read(path):
    """The Run in a folder."""
    try:
        return Run(path)
    except NotVerifiable:
        raise
    except (ValueError, LookupError) as error:
        # Both files of JSON have checksums; numbers may be anything, and what does not fit shows where it is used.
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise NotVerifiable(f"{path}: substeps.bin does not fit the other files ({said}); simulate again") from error


def _worst(run, name, unit, found, allowed, places, *who):
    """A finding at the worst of its places; passed: nowhere was more found than is allowed."""
    allowed, passed = np.broadcast_to(allowed, found.shape), bool(np.all(found <= allowed))
    out = {"name": name, "unit": unit, "found": 0.0, "mean": 0.0, "allowed": 0.0, "passed": passed}
    if len(found) == 0:
        return out | {"step": -1, "time": 0.0, "where": ""}
    claimed = np.where(np.isfinite(allowed), np.maximum(allowed, 1e-300), 1.0)
    i = int(np.argmax(np.where(np.isfinite(found), found / claimed, np.inf)))
    where, when = " and ".join(names[i] for names in who), places[i]
    return out | {"found": float(found[i]), "mean": float(np.mean(found)), "step": int(run.step[when]),
                  "allowed": float(allowed[i]) if np.isfinite(allowed[i]) else None,
                  "time": float(run.time[when]), "where": where}  # fmt: skip


def table(found):
    """Lines on what `verify` returned: one a check, with its worst place."""
    lines = [f"{found['scene']}: {found['steps']} steps, {found['substeps']} substeps, {found['contacts']} contacts"]
    for check in found["checks"]:
        claimed = check["allowed"] is not None
        mark = ("ok  " if claimed else "    ") if check["passed"] else "FAIL"
        said = f", allowed {check['allowed']:.3g}" if claimed else f", in the mean {check['mean']:.3g}"
        place = f"  step {check['step']}, {check['where']}" if check["where"] else f"  step {check['step']}"
        lines.append(f"{mark} {check['name']}: {check['found']:.3g} {check['unit']}{said}{place}")
    lines += [f"--   {name}: not found, {why}" for name, why in found["missing"]]
    judged = any(check["allowed"] is not None for check in found["checks"])
    return [*lines, ("passed" if judged else "measured; nothing is claimed") if found["passed"] else "NOT passed"]
