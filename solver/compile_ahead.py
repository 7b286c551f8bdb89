"""Compile what a run needs before its clock starts.

Half of it is the search for contacts, and a process compiles on one core only: searches are compiled in processes of
their own while this one compiles the rest of a step.
"""

import os
import subprocess
import threading

import numpy as np

from . import methods
from .collision import find_contacts
from .collision.narrow_kernels import narrow_chunk
from .jit import is_compiled
from .model import compile_scene
from .other_process import command_of, no_console
from .scene import Body, Motion, Scene
from .shapes import Box, Mesh
from .shapes.generators import plate
from .warm_up import two_bodies, warm_up_method

FAR = 9.0


def compile_ahead(step, model, state, settings):
    """Take the steps of a run, a function (model, state, settings), through all that they will compile."""
    aside = _searches_aside(model)
    if aside:
        step(*compile_scene(_box_on_floor(height=FAR)), settings)
        methods.solve(two_bodies(), None, settings.method, settings.method_options, brief=True)
    for process in aside:
        # Whatever fails there is compiled here next, and says what is wrong.
        process.wait()
    _finisher_aside(settings.method)
    # A poured scene begins without contacts.
    step(*compile_scene(_box_on_floor()), settings)
    step(model, state, settings)


def _box_on_floor(height=0.0, mesh=False):
    """Scene of a box at a height above a floor; mesh: the box is a triangle mesh."""
    floor = Body("floor", Box((4.0, 4.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))
    size = (1.0, 1.0, 1.0)
    shape = Mesh(*plate(size)) if mesh else Box(size)
    return Scene((floor, Body("box", shape, position=(0.0, 0.0, 0.5 + height))))


def _searches_aside(model):
    """Processes that compile what the searches of a Model need and have not compiled yet."""
    kinds = [] if is_compiled(narrow_chunk) else ["convex"]
    if model.collision.meshes is not None:
        from .collision.mesh_pair_kernels import mesh_chunk

        kinds += [] if is_compiled(mesh_chunk) else ["mesh"]
    # One core is this process's own.
    return [_started(kind) for kind in kinds[: (os.cpu_count() or 1) - 1]]


def _finisher_aside(method):
    """Compile the second-order methods beside the run: many need them late or never, so none waits for them."""
    if not methods.get_method(method).finishes or (os.cpu_count() or 1) < 2:
        return
    from .methods.proximal_newton_kernels import inner_newton

    if not is_compiled(inner_newton):
        threading.Thread(target=_started("finisher").wait, daemon=True).start()


def _started(kind):
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command_of("solver.compile_ahead", kind), **quiet, **no_console())


def main(kind):
    """The other process: one search for the contacts of two bodies, or solves to the end. Returns the exit code."""
    if kind == "finisher":
        entry = methods.get_method("default")
        warm_up_method(entry.key, entry.options())
        return 0
    model, state = compile_scene(_box_on_floor(mesh=kind == "mesh"))
    find_contacts(model.collision, state.position, state.orientation, np.zeros_like(state.twist), 0.01)
    return 0
