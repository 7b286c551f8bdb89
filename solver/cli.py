"""The command line: `stiction COMMAND ...`. Exit 0: done; 1: the stated tolerance was not met; 2: bad input."""

import argparse
import sys
from importlib import import_module

from .commands import COMMANDS
from .commands.common import BAD_INPUT, DONE, REFUSALS


def main(arguments=None, bridge=None):
    """Run one command and return its exit code.

    bridge(name) returns a module of the Blender bridge ("demo", "headless_bake"): the solver does not know Blender,
    so the package's own entry point hands it in.
    """
    options = build_parser().parse_args(arguments)
    options.bridge = bridge
    try:
        return options.run(options)
    except REFUSALS as error:
        print(f"stiction: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does; there is nobody to tell.
        sys.stderr.close()
        return DONE
    except KeyboardInterrupt:
        print("stiction: interrupted; what was written stays, simulate --resume goes on", file=sys.stderr)
        return 130


class _Version(argparse.Action):
    """Print the version, and which of the three ways kernels come to run here."""

    def __call__(self, parser, namespace, values, option_string=None):
        from .kernels.ways import described
        from .simulation import VERSION

        print(f"stiction {VERSION}; kernels: {described()}")
        parser.exit(DONE)


def build_parser():
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(prog="stiction", description="Frictional contact simulation.")
    parser.add_argument("--version", action=_Version, nargs=0, help="version, and where its kernels come from")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS:
        module = import_module(f".commands.{name}", __package__)
        command = commands.add_parser(name, help=module.HELP)
        module.arguments(command)
        command.set_defaults(run=module.run)
    return parser
