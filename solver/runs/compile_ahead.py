"""Compile what a run needs before its clock starts.

Half of it is the search for contacts, and a process compiles on one core only: searches are compiled in processes of
their own while this one compiles the rest of a step.
"""

import threading
from contextlib import suppress

import numpy as np

from .. import methods
from ..base.processes import lower_priority, start_helper
from ..base.refusal import NotFinite
from ..base.threads import core_count
from ..collision.convex.narrow_kernels import narrow
from ..collision.depths import pair_depths
from ..collision.pipeline import find_contacts
from ..jit import is_compiled
from ..model import compile_scene
from ..options import changed
from ..scene import Body, Motion, Scene
from ..shapes import Box, Mesh
from ..shapes.generators import plate
from ..steppers import StepSettings
from ..stepping.quiet.steps import compile_quiet, is_able, quiet_steps
from .warm_up import two_bodies, warm_up_method

# Heights of the box above the floor [m].
FAR, SUNK = 9.0, 1e-3

# What was begun to be compiled concurrently with a run of this process: a study's next run does not begin it again.
_begun = set()


def compile_ahead(step, model, state, settings):
    """Take the steps of a run, a function (model, state, settings), through all that they will compile."""
    compiling = _searches_compiling(model)
    if compiling:
        step(*compile_scene(_box_on_floor(height=FAR)), settings)
        methods.solve(two_bodies(), None, settings.method, settings.method_options, brief=True)
    for process in compiling:
        # Whatever fails there is compiled here next, and says what is wrong.
        process.wait()
    _rest_compiling(model, settings)
    # A poured scene begins without contacts, and without overlap to be pushed out.
    step(*compile_scene(_box_on_floor(height=-SUNK)), settings)
    # What goes wrong in the first step is said when the run makes it.
    with suppress(NotFinite), np.errstate(over="ignore"):
        step(model, state, _with_little_work(model, settings))


def _with_little_work(model, settings):
    """The settings with the fewest sweeps: buildings of rigid stones solve a thousand at first, once is enough."""
    given = settings.method_options
    if model.joints.count or model.soft.any() or not hasattr(given, "effort"):
        return settings
    return changed(settings, method_options=changed(given, effort=1))


def _box_on_floor(height=0.0, mesh=False):
    """Scene of a box at a height above a floor; mesh: the box is a triangle mesh."""
    floor = Body("floor", Box((4.0, 4.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))
    size = (1.0, 1.0, 1.0)
    shape = Mesh(*plate(size)) if mesh else Box(size)
    return Scene((floor, Body("box", shape, position=(0.0, 0.0, 0.5 + height))))


def _searches_compiling(model):
    """Processes that compile what the searches of a Model need and have not compiled yet."""
    kinds = [] if is_compiled(narrow) else ["convex"]
    if model.collision.meshes is not None:
        from ..collision.mesh.mesh_pair_kernels import mesh_chunk

        kinds += [] if is_compiled(mesh_chunk) else ["mesh"]
    # One core is this process's own.
    return [_started(kind) for kind in kinds[: core_count() - 1]]


def _rest_compiling(model, settings):
    """Compile concurrently with the run what many need late or never, so that none waits: how deep surfaces are in
    each other, the second-order methods, and many steps in one call, which later runs make."""
    kinds = []
    if model.collision.meshes is not None:
        from ..collision.mesh.pierce_kernels import piercing_depths

        kinds += [] if is_compiled(piercing_depths) else ["depths"]
    if methods.get_method(settings.method).finishes:
        from ..methods.second_order.proximal_newton_kernels import proximal_steps

        kinds += [] if is_compiled(proximal_steps) else ["newton"]
    # Runs with emitters, gates and sinks make no more than one step in a call.
    if model.flow is None and is_able(model, settings):
        kinds += [] if is_compiled(quiet_steps) else ["quiet"]
    kinds = [kind for kind in kinds if kind not in _begun]
    if kinds and core_count() > 1:
        _begun.update(kinds)
        threading.Thread(target=_started(*kinds).wait, daemon=True).start()


def _started(*kinds):
    return start_helper("solver.runs.compile_ahead", *kinds)


def main(*kinds):
    """The other process: a search for the contacts of two bodies, its measure of depths, solves to the end, or many
    steps in one call. Returns the exit code."""
    for kind in kinds:
        if kind == "newton":
            entry = methods.get_method("default")
            warm_up_method(entry.key, entry.options())
            continue
        if kind == "quiet":
            lower_priority()
            settings = StepSettings(0.01, method_options=methods.get_method("default").options())
            compile_quiet(*compile_scene(_box_on_floor()), settings)
            continue
        model, state = compile_scene(_box_on_floor(mesh=kind != "convex"))
        place = model.collision, state.position, state.orientation
        if kind == "depths":
            pair_depths(*place, np.ones(len(state.position), dtype=bool))
        else:
            find_contacts(*place, np.zeros_like(state.twist), 0.01)
    return 0
