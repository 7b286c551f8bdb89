"""`stiction` and `python -m stiction`: the command line with the Blender bridge at hand."""

import os
import sys


def bridge(name):
    """Return a module of blender_addon/running; ImportError where Blender's Python module is not installed."""
    from importlib import import_module

    import_module("bpy")
    return import_module(f".blender_addon.running.{name}", __package__)


def main(arguments=None):
    """Run one command and return its exit code."""
    # Before numpy is loaded; see solver/base/processes.py.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from .solver.cli import main as run

    return run(arguments, bridge)


if __name__ == "__main__":
    sys.exit(main())
