"""Run a function of this package in a Python process of its own, which ends with this one however this one ends."""

import os
import subprocess
import sys
from pathlib import Path

# As this process names it, links and all: numba keeps compiled code by the path of its source.
PACKAGE_ROOT = Path(os.path.abspath(__file__)).parents[2]
PACKAGE = __name__.split(".solver")[0]
# The package is loaded from its folder, wherever that lies and whatever its folder is called. One thread for numpy's
# matrices, which are small: to wake a second one took half of the time of a step with deformable bodies.
BOOT = """
import importlib, importlib.util, os, sys
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
root, name, module, *arguments = sys.argv[1:]
spec = importlib.util.spec_from_file_location(name, root + "/__init__.py", submodule_search_locations=[root])
package = importlib.util.module_from_spec(spec)
sys.modules[name] = package
spec.loader.exec_module(package)
sys.exit(importlib.import_module(name + "." + module).main(*arguments))
"""


def command_of(module, *arguments, python=sys.executable, name=PACKAGE):
    """Command line that runs main(*arguments) of the package's `module`; name: what the package is called there."""
    return [python, "-c", BOOT, str(PACKAGE_ROOT), name, module, *map(str, arguments)]


def start_helper(module, *arguments):
    """Start main(*arguments) of the package's `module` quietly in a process that ends with this one.

    It holds one end of a pipe, and a process that ends, however it ends, closes the other. Returns the Popen object,
    which must be kept until then.
    """
    command = command_of(__name__.removeprefix(PACKAGE + "."), module, *arguments)
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            **no_console())  # fmt: skip


def main(module, *arguments):
    """The helper: runs main(*arguments) of a module while its starter lives; returns the exit code."""
    from importlib import import_module

    from .lifeline import end_with_starter

    end_with_starter()
    return import_module(f"{PACKAGE}.{module}").main(*arguments)


def lower_priority():
    """Let whatever a person does go before this process."""
    if hasattr(os, "nice"):
        os.nice(10)


def no_console():
    """Arguments for Popen that keep a console window from opening."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NO_WINDOW}
    return {}
