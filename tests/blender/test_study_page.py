"""The page of `make demo-studies`: what its runs say, in sentences with intervals, and the film inside."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import study_page

from stiction.solver.studies.statistics import wilson


def cell(friction, jams, runs):
    low, high = wilson(jams, runs)
    return {"values": {"friction": friction}, "jams": jams, "runs": runs, "low": low, "high": high}


def test_the_answer_has_its_interval():
    sentences = study_page.answers([cell(0.1, 3, 24), cell(0.5, 17, 24)])
    assert sentences == [
        "Smooth grains (friction 0.1) jam in 3 of 24 runs: 12 %, between 4 and 31 % (95 % interval).",
        "Rough grains (friction 0.5) jam in 17 of 24 runs: 71 %, between 51 and 85 % (95 % interval).",
        "Friction makes the difference.",
    ]
    assert study_page.answers([cell(0.1, 1, 2), cell(0.5, 2, 2)])[-1] == "So many runs do not tell the two apart."


def test_the_page_holds_the_film(tmp_path):
    (tmp_path / "film.mp4").write_bytes(b"film")
    text = study_page.shown(["3 < 4 jams."], tmp_path / "film.mp4")
    assert "3 &lt; 4 jams." in text and 'src="data:video/mp4;base64,ZmlsbQ=="' in text
