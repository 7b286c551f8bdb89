"""A first study of a scene at a click: a parameter, a gate if one is there, and a counter below where bodies leave."""

import numpy as np

from ...solver.base.refusal import StudyError
from ...solver.scene import Motion
from ..baking import bake as baking
from ..exporting.assembly import assemble
from ..exporting.reader import bodies_of, read_scene
from ..flow.reading import box_of
from ..flow.settings import add as add_flow
from ..flow.settings import objects_of
from ..settings.motion import is_dynamic

EVERY, VALUES = "materials.*.friction", "0.1, 0.5"
# Words in the name of a Passive body that closes an outlet.
GATES = ("gate", "lid", "door", "shutter", "valve")


def set_up(scene):
    """Add to a scene's study what it has not: returns sentences on what was added. StudyError where nobody can tell
    where bodies leave."""
    settings, said = scene.stiction_study, []
    if not settings.parameters:
        parameter = settings.parameters.add()
        parameter.path, parameter.values = _friction_of(scene), VALUES
        said.append("friction 0.1 and 0.5")
    if settings.gate is None and not objects_of(scene, "GATE"):
        gate = _gate_of(scene)
        if gate is not None:
            gate.stiction_flow.gate = True
            said.append(f"{gate.name!r} is the gate")
    if settings.counter is None and not objects_of(scene, "COUNTER"):
        place = outlet_below(scene)
        add_flow(scene, "COUNTER", place).name = "Outlet Counter"
        said.append(f"a counter at a height of {place[2]:.3g}")
    return said


def _friction_of(scene):
    """Path of the friction of what moves: a smooth plate beside it stays smooth."""
    with baking.lifted(scene):
        made = assemble(read_scene(scene)).scene
    names = {body.material for body in made.bodies if body.motion == Motion.DYNAMIC}
    return f"materials.{names.pop()}.friction" if len(names) == 1 else EVERY


def _gate_of(scene):
    passive = [ob for ob in bodies_of(scene) if ob.stiction.type == "PASSIVE"]
    return next((ob for ob in passive if any(word in ob.name.lower() for word in GATES)), None)


def outlet_below(scene):
    """Place (3,) below the lowest point of what holds the Active bodies, above what lies under it."""
    active = [box_of(ob) for ob in bodies_of(scene) if is_dynamic(ob.stiction)] or [
        box_of(ob) for ob in objects_of(scene, "EMITTER")
    ]
    passive = [box_of(ob) for ob in bodies_of(scene) if not is_dynamic(ob.stiction) and not ob.stiction_flow.gate]
    if not active or not passive:
        raise StudyError("Set Up: the scene has no bodies in a container; mark Active and Passive objects first")
    bodies, fixed = np.array(active), np.array(passive)
    size = float(np.median(np.ptp(bodies, axis=1).max(axis=1)))
    # What holds them reaches as high as they do; if they fall into it, it is the highest thing there is.
    reach = min(float(bodies[:, 0, 2].min()), float(fixed[:, 1, 2].max()))
    holds = fixed[:, 1, 2] >= reach - 1e-6
    outlet = float(fixed[holds, 0, 2].min())
    under = float(fixed[~holds, 1, 2].max()) if (~holds).any() else -np.inf
    if outlet - under < size:
        raise StudyError(
            "Set Up: cannot tell where bodies leave, as something Passive reaches up to the outlet; add a Counter there"
        )
    middle = bodies.mean(axis=(0, 1))
    return float(middle[0]), float(middle[1]), max(outlet - 0.75 * size, 0.5 * (outlet + under))
