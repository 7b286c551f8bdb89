"""What verbs share: exit codes, refusals, arguments for methods and runs."""

import dataclasses

from ..base.refusal import ProblemError, SceneError, StudyError, TrajectoryError
from ..methods import ALIASES, METHODS, UnknownMethod
from ..options import OptionError
from ..runs.simulation_options import SimulationOptions

# Options that are asked for by their name alone.
SWITCHES, SWITCH = ("until_rest", "until_not_accepted"), {"action": "store_const", "const": "true"}
DONE, NOT_MET, BAD_INPUT = 0, 1, 2


class Refused(ValueError):
    """Bad input found by the command line itself."""


REFUSALS = (SceneError, OptionError, UnknownMethod, ProblemError, TrajectoryError, StudyError, Refused)


def bridge(options, name):
    """A module of the Blender bridge; refused where there is none."""
    if options.bridge is None:
        raise Refused(f"{options.command} needs Blender: call it as `stiction {options.command}`")
    try:
        return options.bridge(name)
    except ImportError as error:
        raise Refused(
            f"{options.command} needs Blender's Python module ({error}); run `make setup`, or `pip install bpy==5.0.1`"
        ) from None


def add_overwrite(command):
    """The flag without which nothing that is there is replaced."""
    command.add_argument("--overwrite", action="store_true", help="replace what is there already")


def add_method(command):
    """Arguments that choose a method and its options."""
    names = ", ".join([*ALIASES, *METHODS])
    command.add_argument("--method", default=None, help=f"solver method: {names}")
    command.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the method")


def method_options(options):
    """{name: text} of what was given by --option."""
    pairs = {}
    for text in options.option:
        name, mark, value = text.partition("=")
        if not mark:
            raise Refused(f"--option {text!r}: give NAME=VALUE")
        if name in pairs or getattr(options, name, None) is not None:
            raise Refused(f"{name} is given twice, the second time by --option {text}; give it once")
        pairs[name] = value
    return pairs


def add_run_options(command):
    """A flag for every option of a run."""
    for entry in _run_options():
        given = SWITCH if entry.name in SWITCHES else {"metavar": "VALUE"}
        command.add_argument("--" + entry.name.replace("_", "-"), default=None, help=_help(entry), **given)


def _run_options():
    """Fields of SimulationOptions that have a flag of their own name."""
    # --method and --option set a method, --contacts has a shorter name.
    other = ("method", "method_options", "store_contacts")
    return [entry for entry in dataclasses.fields(SimulationOptions) if entry.name not in other]


def _help(entry):
    """Help of an option's flag: its doc, unit and choices."""
    data = entry.metadata
    unit = f" [{data['unit']}]" if data["unit"] else ""
    choices = f": {', '.join(data['choices'])}" if data["choices"] else ""
    return f"{data['doc']}{unit}{choices}".replace("%", "%%")


def _run_changes(options):
    """Simulation options that were given as flags, converted; OptionError for a value that is not one."""
    texts = {entry.name: getattr(options, entry.name) for entry in _run_options()}
    given = {name: text for name, text in texts.items() if text is not None}
    values = SimulationOptions.from_strings(given)
    return {name: getattr(values, name) for name in given}


def run_settings(options, scene, **changes):
    """SimulationOptions of a scene with what was given as flags."""
    from ..simulation import options_for

    changes |= _run_changes(options)
    return options_for(scene, method=options.method, method_options=method_options(options) or None, **changes)
