"""Small scenes with deformable bodies for tests."""

import dataclasses

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.scene import Body, Elastic, Motion, Scene
from stiction.solver.shapes import Box, Tetrahedra
from stiction.solver.simulation import compiled, options_for, step_settings, stepper

FLOOR = Body("floor", Box((4.0, 4.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))


def cube(name="cube", cells=2, side=0.2, position=(0.0, 0.0, 0.1), young=1e6, poisson=0.3, element="t4", **other):
    names = {field.name for field in dataclasses.fields(Elastic)}
    elastic = {key: value for key, value in other.items() if key in names}
    rest = {key: value for key, value in other.items() if key not in names}
    shape = Tetrahedra(*box_grid((cells,) * 3, (side,) * 3))
    material = Elastic(young=young, poisson=poisson, element=element, **elastic)
    return Body(name, shape, position=position, elastic=material, **rest)


def scene(*bodies, friction=0.5, gravity=(0.0, 0.0, -9.81)):
    return Scene(tuple(bodies), MaterialTable((Material("default", 1000.0, friction),)), gravity)


def run(scene, steps, **options):
    """States and StepReports of a run."""
    options = options_for(scene, **options)
    model, state = compiled(scene, options)
    settings, step, states, reports = step_settings(options, model, state), stepper(options), [state], []
    for _ in range(steps):
        state, report, _ = step(model, state, settings)
        states.append(state)
        reports.append(report)
    return model, states, reports
