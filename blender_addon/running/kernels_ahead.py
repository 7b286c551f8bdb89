"""Compile in the background what did not come compiled, while the person still builds the scene.

The extension brings compiled kernels for processors with AVX2 (Windows, Linux) and for Apple's. Where they do not fit,
because the processor is older or another extension brought another numba, compiling begins with the first Active body.
"""

import subprocess

import bpy

from ...solver.base.processes import command_of, no_console
from .job import python_executable, worker_environment

_process = None


def begin():
    """Start compiling, once in a session; it ends at once where everything is there. Not without a window: there the
    run itself waits for what it needs."""
    global _process
    if _process is not None or bpy.app.background:
        return
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    command = command_of("solver.base.processes", "solver.commands.compile_all", "quietly",
                         python=python_executable(), name="stiction")  # fmt: skip
    # The process ends when the other end of its stdin is closed, so with Blender, however Blender ends.
    _process = subprocess.Popen(command, stdin=subprocess.PIPE, env=worker_environment(), **quiet, **no_console())


def end():
    """Stop compiling."""
    global _process
    if _process is not None:
        _process.stdin.close()
        _process.kill()
        _process.wait()
        _process = None
