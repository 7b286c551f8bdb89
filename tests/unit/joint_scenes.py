"""Small mechanisms for tests of joints, and a run of them that says what matters."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from stiction.solver.dynamics.jointed.rows import linearised_at
from stiction.solver.dynamics.jointed.tables import Role
from stiction.solver.dynamics.report_kernels import energies
from stiction.solver.scene import Body, Joint, Motion, Scene
from stiction.solver.shapes import SHAPES
from stiction.solver.simulation import compiled, options_for, step_settings, stepper

G = 9.81


def rod(name, p, q, mass=1.0, thick=0.02, **more):
    """A rod from p to q along its local x, which collides with nothing."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    length = np.linalg.norm(q - p)
    half = np.array([1.0, 0, 0]) + (q - p) / length
    w, axis = 0.5 * half @ half, np.cross([1.0, 0, 0], (q - p) / length)
    orientation = np.array([w, *axis]) if w > 1e-9 else np.array([0.0, 0.0, 0.0, 1.0])
    across = mass * (length**2 + thick**2) / 12
    return Body(name, SHAPES["box"]((float(length), thick, thick)), position=tuple((p + q) / 2),
                orientation=tuple(orientation / np.linalg.norm(orientation)), mass=mass,
                inertia=(mass * thick**2 / 6, across, across), collides_with=(), **more)  # fmt: skip


def cube(name, position, size=0.2, mass=1.0, **more):
    """A cube that collides with nothing unless told."""
    more = {"collides_with": ()} | more
    return Body(name, SHAPES["box"]((size,) * 3), position=tuple(position), mass=mass, **more)


def anchor(name="ground", position=(0, 0, 0), size=0.1):
    """A fixed body."""
    return Body(name, SHAPES["box"]((size,) * 3), motion=Motion.STATIC, position=tuple(position), collides_with=())


def scene(bodies, joints, gravity=(0.0, 0.0, -G), **settings):
    """A Scene of bodies and joints."""
    return Scene(tuple(bodies), joints=tuple(joints), gravity=gravity, settings=settings)


def run(made, time, h=0.01, each=None, **options):
    """Step a Scene; returns state, model, largest gap of held rows, energies (S,), reports."""
    options = replace(options_for(made, time=time, time_step=h), **options)
    model, state = compiled(made, options)
    settings, step = step_settings(options, model, state), stepper(options)
    start = sum(energies(model.bodies, state.position, state.orientation, state.twist))
    energy, gap, reports, booked = [], 0.0, [], 0.0
    for k in range(round(time / h)):
        state, report, _ = step(model, state, settings)
        energy.append(report.kinetic + report.potential - start)
        booked += report.friction_work + report.impact_loss + report.stabilisation_work + report.joint_work
        assert abs(energy[-1] - booked) < 1e-9 * (1 + abs(start) + report.kinetic), "the ledger closes"
        reports.append(report)
        gap = max(gap, open_by(model, state))
        if each is not None:
            each(k, state, report)
    return SimpleNamespace(state=state, model=model, gap=gap, energy=np.array(energy), reports=reports)


def open_by(model, state):
    """Largest value of a held row [m]."""
    look = linearised_at(model.joints, state.joints.value, state.position, state.orientation)
    rows = model.joints.rows
    held = (rows.role == Role.HOLD) & (rows.compliance == 0)
    return float(np.abs(look.g[held]).max(initial=0.0))


def coordinate(model, state, joint=0):
    """Value of the first coordinate of a joint."""
    return float(state.joints.value[model.joints.per_joint.value[joint]])


def hinged_rod(angle=90.0, **more):
    """A rod of 1 m and 1 kg on a hinge about y at the origin, `angle` degrees from hanging."""
    a = np.radians(angle)
    return scene([rod("rod", (0, 0, 0), (np.sin(a), 0, -np.cos(a)))],
                 [Joint("pin", "hinge", ("world", "rod"), (0, 0, 0), (0, 1, 0), **more)])  # fmt: skip
