"""Parts of a study that are made on several machines, and joined: arrays of SLURM, PBS or Kubernetes need no more."""

import re
from pathlib import Path

from ...base.refusal import StudyError
from ..store import RUNS, Store, read_runs


def part_of(text):
    """(i, n) of a text i/n, counted from 1."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise StudyError(f"--part is {text!r}; give I/N, as 3/10 for the third of ten parts")
    return int(found[1]), int(found[2])


def part_folder(folder, part):
    """Where a part of the study in `folder` has its results."""
    return Path(folder) / f"part_{part[0]}_of_{part[1]}"


def groups_of_part(groups, part):
    """Every n-th of the lists of tasks, from the i-th on; all without a part."""
    return groups if part is None else groups[part[0] - 1 :: part[1]]


def join(folder, parts=()):
    """Add the results of `parts` (folders; left out: all part_* in the folder) to those in `folder`. Returns how many
    came from how many parts, and sentences on what was found on the way."""
    paths = [Path(part) for part in parts] or sorted(Path(folder).glob("part_*"))
    if not paths:
        raise StudyError(f"study join: {folder} has no part_*; name the folders of the parts")
    for path in paths:
        if not (path / RUNS).is_file():
            raise StudyError(f"study join: {path} has no {RUNS}; give the folder of a part")
    store, notes, added = Store(folder, resume=True), damage_notes(Path(folder) / RUNS), 0
    try:
        for path in paths:
            results, _ = read_runs(path / RUNS)
            notes += damage_notes(path / RUNS, results)
            for key in results:
                if not store.done.finished(key) and (results.finished(key) or key not in store.done):
                    store.add(results[key])
                    added += 1
    finally:
        store.close()
    return added, len(paths), notes


def damage_notes(path, results=None):
    """A sentence on the damaged lines of a runs.jsonl, if there are any."""
    damaged = (read_runs(path)[0] if results is None else results).damaged
    if not damaged:
        return []
    listed = ", ".join(map(str, damaged[:5])) + (" ..." if len(damaged) > 5 else "")
    if len(damaged) == 1:
        return [f"{path}: line {listed} is damaged; its run is made again"]
    return [f"{path}: {len(damaged)} lines are damaged ({listed}); their runs are made again"]
