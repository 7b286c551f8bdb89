"""The table of a run's steps that were not accepted."""

import csv
import io
from pathlib import Path

from ..base.files import replace_file
from ..stepping.not_accepted import NotAccepted, not_accepted

NAME = "not_accepted.csv"


def write_not_accepted(folder, run):
    """Write NAME into the folder of a Trajectory, a row a step that was not accepted; none without."""
    path, rows = Path(folder) / NAME, not_accepted(run.steps, run.header["tolerance"], run.names)
    if not rows:
        path.unlink(missing_ok=True)
        return
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(NotAccepted._fields)
    table.writerows(rows)
    replace_file(path, lambda handle: handle.write(text.getvalue().encode()))
