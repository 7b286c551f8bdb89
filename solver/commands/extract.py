"""`stiction extract`: the arrays of a run."""

from .common import DONE, add_overwrite

HELP = "turn a run's folder into arrays anyone can read"


def arguments(command):
    """Fill the parser."""
    command.add_argument("run_folder", metavar="RUN")
    command.add_argument("target", metavar="OUT.npz|OUT.csv|OUT.vtu|OUT.wav")
    add_overwrite(command)


def run(options):
    """Write the arrays of a run."""
    from ..results.extract import extract

    extract(options.run_folder, options.target, options.overwrite)
    return DONE
