"""The independent check of a run, in a process of its own.

Exit code 0: written, whatever it found; 2: refused, the reason on stderr.
"""

import json
import sys
from pathlib import Path


def main(folder, target):
    """Write what `stiction verify` finds in the run in `folder` into the file `target` (.json)."""
    from ...solver.verify import NotVerifiable, verify

    try:
        Path(target).write_text(json.dumps(verify(folder)), encoding="utf-8")
    except (NotVerifiable, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0
