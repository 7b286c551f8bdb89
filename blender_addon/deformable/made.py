"""The solver's Elastic of a body as read, without bpy."""

import numpy as np

from ...solver.base.refusal import SceneError
from ...solver.scene import Elastic
from ..base.transforms import significant


def refuse_deformable(one):
    """SceneError for what a deformable body cannot be besides."""
    if one.settings.kinematic and not one.settings.elastic.pin_group:
        raise SceneError(
            f"{one.who}: is Animated and Deformable, and has no Pins that could follow its animation; choose a vertex "
            "group, or switch Animated off"
        )
    if one.settings.kinematic and one.settings.release:
        raise SceneError(f"{one.who}: is Deformable with a Release, and its pins hold to the end; switch Release off")
    if one.settings.shape == "COMPOUND":
        raise SceneError(
            f"{one.who}: is a Compound Parent and Deformable, and a deformable body is one mesh; join its parts into "
            "one (Ctrl+J), or switch Deformable off"
        )


def elastic_of(one, matrix, unit):
    """Elastic of a BodyReading with the world matrix (4,4), None for a rigid one; unit: metres in a Blender unit."""
    if not one.deformable:
        return None
    elastic, points = one.settings.elastic, ()
    if elastic.pin_group:
        found = elastic.pins
        if not found:
            what = "no vertex group" if found is None else "no vertex with a weight above 0.5 in the group"
            raise SceneError(f"{one.who}: has {what} {elastic.pin_group!r} to be pinned by; paint it or clear Pins")
        world = (np.array(found) @ matrix[:3, :3].T + matrix[:3, 3]) * unit
        points = tuple(map(tuple, world.tolist()))
    stiffer = ()
    if elastic.stiffness_group:
        found = elastic.stiffness
        if not found:
            raise SceneError(f"{one.who}: has no vertex group {elastic.stiffness_group!r} to be stiffer by; paint "
                             "it or clear Stiffness Group")  # fmt: skip
        rows = np.array(found)
        world = (rows[:, :3] @ matrix[:3, :3].T + matrix[:3, 3]) * unit
        # Halfway between two weights it is stiffer by the root of the factor between them.
        factor = significant(elastic.stiffness_factor) ** rows[:, 3]
        stiffer = tuple(map(tuple, np.column_stack([world, factor]).tolist()))
    size = significant(elastic.element_size * unit)
    return Elastic(
        law=elastic.law, young=significant(elastic.young), poisson=significant(elastic.poisson),
        damping=(significant(elastic.mass_damping), significant(elastic.damping)), element=elastic.element,
        element_size=size or None,
        pressure=significant(elastic.pressure), self_contact=elastic.self_contact,
        mesher=elastic.mesher, bent=elastic.bent and elastic.element == "t10", pin_points=points,
        stiffness_points=stiffer,
    )  # fmt: skip
