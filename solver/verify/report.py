"""What was found of a run, as a table and as a summary."""

import numpy as np

from .checks import Checker
from .reading import Run


def verify(folder):
    """Check a recorded run and return its summary: run, versions, digests, steps, substeps, contacts, passed, and
    checks: [{name, unit, found, allowed, passed, step, time, where}, ...].

    Raises NotVerifiable where the folder holds no run that can be checked.
    """
    run = Run(folder)
    checker = Checker(run)
    parts = "chain", "motion", "momentum", "contacts", "joints", "energy"
    checks = [check for part in parts for check in getattr(checker, part)()]
    return {
        "run": str(folder), "scene": run.header["scene"], "scene_digest": run.header["digest"],
        "versions": {**run.header["versions"], "verified_with_numpy": np.__version__}, "digests": run.digests(),
        "steps": len(run.steps["time"]), "substeps": len(run.step), "contacts": len(run.gap),
        "passed": all(check.passed for check in checks), "checks": [vars(check) for check in checks],
    }  # fmt: skip
