"""Quiet steps of a run, many in one call: where nobody sees the states between, and what is written of them."""

from ..base.progress import Progress
from ..collision.contact_generators import DEFAULT
from ..stepping.quiet.made import report_of


def unseen(options, watch):
    """Whether nobody sees the states between the frames of a run, so that steps may be made many at a time."""
    usual = options.stepper == "moreau" and not options.substeps and options.contact_generator == DEFAULT
    seen = watch is not None or options.until_rest or options.until_not_accepted or options.store_contacts
    return usual and not seen


def note_made(made, done, total, options, writer, progress):
    """Write the steps of a Made after `done` ones and tell of them, each to a function that is to know of each, and
    the last to a person; the State and StepReport after them."""
    writer.add_made(made, done, options.steps_per_frame)
    count = len(made.reports)
    last = made.report(count - 1)
    if isinstance(progress, Progress):
        progress(done + count, total, last)
    elif progress is not None:
        for number, report in enumerate(map(report_of, made.reports.tolist()), done + 1):
            progress(number, total, report)
    return made.state, last
