"""The solver's Elastic of a body as read, without bpy."""

import numpy as np

from ...solver.base.refusal import SceneError
from ...solver.dynamics.reduced.checks import check_reduction
from ...solver.scene import Elastic, Reduction
from ..base.transforms import significant
from ..exporting.shape_choice import THICKENED
from .goals import goal_rates

# Density of what has the weight 0 in the group of masses, in parts of that at weight 1.
LIGHTEST = 0.01


def refuse_deformable(one):
    """SceneError for what a deformable body cannot be besides."""
    elastic = one.settings.elastic
    if one.settings.kinematic and not elastic.pin_group and not elastic.use_goal:
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


def elastic_of(one, matrix, unit, fps):
    """Elastic of a BodyReading with the world matrix (4,4), None for a rigid one; unit: metres in a Blender unit; fps:
    frames a second."""
    if not one.deformable:
        return None
    elastic, points = one.settings.elastic, ()
    if elastic.pin_group:
        found = elastic.pins
        if not found and not elastic.use_goal or found is None:
            what = "no vertex group" if found is None else "no vertex with a weight above 0.5 in the group"
            raise SceneError(f"{one.who}: has {what} {elastic.pin_group!r} to be pinned by; paint it or clear Pins")
        world = (np.array(found) @ matrix[:3, :3].T + matrix[:3, 3]) * unit
        points = tuple(map(tuple, world.tolist()))

    def by_weight(found, group, label, values):
        """Rows of the places in the world [m] of vertices and of values (V,k) of their weights (V,)."""
        if not found:
            raise SceneError(f"{one.who}: has no vertex group {group!r} to be {label} by; paint it or clear the group")
        rows = np.array(found)
        world = (rows[:, :3] @ matrix[:3, :3].T + matrix[:3, 3]) * unit
        return tuple(map(tuple, np.column_stack([world, values(rows[:, 3])]).tolist()))

    stiffer = heavier = pulled = ()
    if elastic.stiffness_group:
        # Halfway between two weights it is stiffer by the root of the factor between them.
        stiffer = by_weight(elastic.stiffness, elastic.stiffness_group, "stiffer",
                            lambda weights: significant(elastic.stiffness_factor) ** weights)  # fmt: skip
    if elastic.mass_group:
        heavier = by_weight(elastic.heavier, elastic.mass_group, "heavier",
                            lambda weights: np.maximum(weights, LIGHTEST))  # fmt: skip
    if elastic.use_goal:
        pulled = by_weight(elastic.goals, elastic.pin_group, "pulled",
                           lambda weights: goal_rates(weights, elastic, fps))  # fmt: skip
    size, reduction = significant(elastic.element_size * unit), _reduction(one.who, elastic, unit)
    # A sheet that is thickened is as fine as its own triangles.
    size = 0.0 if one.settings.shape == THICKENED else size
    bent = elastic.bent and elastic.element == "t10" and one.settings.shape != THICKENED
    made = Elastic(
        law=elastic.law if reduction is None else "stvk" if reduction.derivatives else "corotational",
        young=significant(elastic.young), poisson=significant(elastic.poisson),
        damping=(significant(elastic.mass_damping), significant(elastic.damping)), element=elastic.element,
        element_size=size or None,
        pressure=significant(elastic.pressure), self_contact=elastic.self_contact,
        mesher=elastic.mesher, bent=bent, pin_points=points,
        stiffness_points=stiffer, mass_points=heavier, goals=pulled, reduction=reduction,
    )  # fmt: skip
    if reduction is not None:
        check_reduction(one.who, made)
    return made


def _reduction(who, elastic, unit):
    """Reduction of a body's settings, None for one that moves in all its nodes; unit: metres in a Blender unit."""
    if elastic.motion == "FULL":
        return None
    if elastic.struck is not None and not elastic.struck_boxes:
        raise SceneError(f"{who}: is Struck at a collection without a mesh or an empty; put one there for each place, "
                         "or clear Struck at")  # fmt: skip
    boxes = [tuple(tuple(significant(np.array(corner) * unit).tolist()) for corner in box)
             for box in elastic.struck_boxes]  # fmt: skip
    return Reduction(elastic.modes, elastic.bends, elastic.spin, tuple(boxes), significant(elastic.damping_ratio))
