"""The process of a study: the command line of the solver, which ends with Blender however that ends."""

from ...solver.base.lifeline import end_with_starter
from ...solver.cli import main as command_line


def main(*arguments):
    """Run the command with these arguments; returns the exit code."""
    end_with_starter()
    return command_line(list(arguments))
