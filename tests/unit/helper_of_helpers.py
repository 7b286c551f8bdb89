"""A helper process that starts another: see test_other_process.py."""

import os
import time
from pathlib import Path


def main(folder, name="helper"):
    """Say the number of this process, start another, and wait."""
    from ...solver.base.processes import start_helper

    below = start_helper("tests.unit.helper_of_helpers", folder, "grandchild") if name == "helper" else None
    part = Path(folder) / f"{name}.part"
    part.write_text(str(os.getpid()))
    part.rename(Path(folder) / f"{name}.pid")
    time.sleep(60)
    return 0 if below is None else below.wait()
