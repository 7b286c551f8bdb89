"""verify, as Python calls it."""

from __future__ import annotations

from os import PathLike
from typing import Any

from ..base.refusal import TrajectoryError
from ..verify import NotVerifiable
from ..verify import verify as verify_folder
from .kinds import path_of
from .run import Run


def verify(run: Run | str | PathLike) -> dict[str, Any]:
    """Check a run step by step without the solver that made it, from the files in its folder alone; docs/verify.md.

    run: folder of a run made with `store_contacts`, the Run that `simulate` wrote to one, or a trajectory of any
    program (.npz, allowed is None where it claims nothing). Returns what was found:
    found["passed"], and found["checks"], each with name, unit, found, allowed, passed, and the step, time [s] and place
    where it was worst. TrajectoryError for what cannot be checked.

        found = st.verify(st.simulate(scene, time=1.0, output="run", store_contacts=True))
        print(found["passed"], [check["name"] for check in found["checks"] if not check["passed"]])
    """
    folder = run.folder if isinstance(run, Run) else run
    if folder is None:
        raise TrajectoryError("this run is in memory alone; simulate with output=\"folder\" and store_contacts=True")
    try:
        return verify_folder(path_of(folder, "the run to verify", TrajectoryError))
    except NotVerifiable as error:
        raise TrajectoryError(str(error)) from None
