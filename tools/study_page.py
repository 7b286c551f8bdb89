"""How often does a hopper jam? The study examples/quick_jam.toml, a film of a flow beside a jam, and one page to send.

    python tools/study_page.py [OUTPUT] [--repeats N] [--frames N]

Writes OUTPUT/quick_jam (the study), OUTPUT/hoppers.mp4 and OUTPUT/jamming.html, which holds all of it. What of the
study is there already is not run again.
"""

import argparse
import base64
import html
from dataclasses import replace
from pathlib import Path

from stiction.blender_addon.running import demo
from stiction.solver.base.progress import Progress
from stiction.solver.commands.study import cells_in
from stiction.solver.studies.coordinator import run_study
from stiction.solver.studies.pool import LocalPool
from stiction.solver.studies.report import write_report
from stiction.solver.studies.statistics import agree
from stiction.solver.studies.study import load_study

STUDY = Path(__file__).resolve().parents[1] / "examples" / "quick_jam.toml"
WORDS = {0.1: "smooth", 0.5: "rough"}


def main():
    """Study, film, page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", default="out")
    parser.add_argument("--repeats", type=int, default=None, help="runs a coefficient")
    parser.add_argument("--frames", type=int, default=None, help="of the film")
    options = parser.parse_args()
    folder, progress = demo.output_folder(options.output), Progress()
    study = load_study(STUDY)
    if options.repeats:
        study = replace(study, repeats=options.repeats)
    progress.stage(f"{study.description} {len(WORDS) * study.repeats} runs")
    place = folder / study.name
    outcome = run_study(study, place, LocalPool(0), place.is_dir(), progress)
    film = demo.run("hoppers", folder, options.frames, progress=progress)["files"]["film"]
    sentences = answers(cells_in(outcome))
    page = folder / "jamming.html"
    page.write_bytes(write_report(outcome, [shown(sentences, film)]).read_bytes())
    print("\n".join(["", *sentences, outcome.quality.sentence, "", f"page      {page}   (one file, to send)",
                     f"film      {film}", f"table     {outcome.folder / 'results.csv'}"]))  # fmt: skip


def answers(cells):
    """What the runs say, in sentences: cells as `cells_in` has them, the smooth one first."""
    found = []
    for cell in cells:
        friction, jams, runs = cell["values"]["friction"], cell["jams"], cell["runs"]
        share, low, high = (100 * part for part in (jams / runs, cell["low"], cell["high"]))
        found.append(f"{WORDS[friction].capitalize()} grains (friction {friction:g}) jam in {jams} of {runs} runs: "
                     f"{share:.0f} %, between {low:.0f} and {high:.0f} % (95 % interval).")  # fmt: skip
    first, second = ((cell["jams"], cell["runs"]) for cell in cells)
    last = "So many runs do not tell the two apart." if agree(first, second) else "Friction makes the difference."
    return [*found, last]


def shown(sentences, film):
    """The answer and the film as HTML."""
    data = base64.b64encode(Path(film).read_bytes()).decode()
    text = "".join(f"<p><b>{html.escape(sentence)}</b></p>" for sentence in sentences)
    return (f'{text}<video controls loop autoplay muted width="100%" src="data:video/mp4;base64,{data}"></video>'
            "<p>One hopper, two coefficients: both are simulated with the same solver and settings.</p>")  # fmt: skip


if __name__ == "__main__":
    main()
