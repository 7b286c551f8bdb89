"""What `stiction demo` says at its end, in words: what happened, how good it is, where it lies, what to try next."""

from ...solver.base.progress import clock
from ...solver.base.wording import as_length, as_speed
from ..demos import DEMOS
from ..demos.showing import record_of_run
from .places import run_folder

NAMES = (("film", "film"), ("picture", "picture"), ("frames", "moments"), ("blend", "scene"), ("plot", "plots"),
         ("json", "numbers"))  # fmt: skip
HINTS = {"blend": "open it in Blender and press Space; the tab Stiction bakes it again after your changes"}


def report_lines(name, scene, summary, files, seconds):
    """Lines for people: the `simulate --json` summary of a demo's run and the files it wrote {what: path}."""
    demo = DEMOS[name]
    lines = ["", f"{demo.SAYS[:1].upper()}{demo.SAYS[1:]}: {summary['time']:g} s in {summary['steps']} steps, with up "
             f"to {summary['contacts_max']} contacts."]  # fmt: skip
    if hasattr(demo, "story"):
        lines.append(demo.story(record_of_run(run_folder(scene))))
    lines += [scene.stiction.verdict + f". {quality(summary)}", ""]
    for key, label in NAMES:
        if key in files:
            lines.append(f"{label:<9} {files[key]}" + (f"   ({HINTS[key]})" if key in HINTS else ""))
    return [*lines, "", f"All of it took {clock(seconds)}; the simulation {summary['cpu_s']:.0f} s of one core.",
            f"Next: {demo.NEXT}"]  # fmt: skip


def quality(summary):
    """How exact a run is, in a sentence."""
    missed, steps = summary["steps_not_accepted"], summary["steps"]
    accepted = "Every step was accepted" if not missed else f"{missed} of {steps} steps were not accepted"
    overlap, residual = as_length(summary["overlap_max"], 2), as_speed(summary["residual_max"])
    return f"{accepted}; bodies overlap by at most {overlap}, and no contact's velocity is off by more than {residual}."
