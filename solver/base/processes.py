"""Run a function of this package in a Python process of its own."""

import os
import subprocess
import sys
from pathlib import Path

# As this process names it, links and all: numba keeps compiled code by the path of its source.
PACKAGE_ROOT = Path(os.path.abspath(__file__)).parents[2]
PACKAGE = __name__.split(".solver")[0]
# The package is loaded from its folder, wherever that lies and whatever its folder is called.
BOOT = """
import importlib, importlib.util, sys
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


def no_console():
    """Arguments for Popen that keep a console window from opening."""
    return {"creationflags": subprocess.CREATE_NO_WINDOW} if os.name == "nt" else {}
