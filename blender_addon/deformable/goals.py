"""Goals of a deformable body: how hard each vertex is pulled to its animated place, as Blender's Soft Body has it."""

import numpy as np

# From this goal on a vertex is held, and not pulled (SOFTGOALSNAP of Blender's softbody.c).
HELD = 0.999
# Blender's soft bodies count time in frames, and friction in hundredths.
FRICTION = 0.01


def final_goal(weights, elastic):
    """Goals (V,) of weights (V,): between Min and Max, to the fourth power."""
    return (elastic.goal_min + np.asarray(weights) * abs(elastic.goal_max - elastic.goal_min)) ** 4


def held(weights, elastic):
    """Which vertices (V,) bool are held by their weights (V,)."""
    return final_goal(weights, elastic) >= HELD


def goal_springs(goal, settings, fps):
    """Rows (V,2) of stiffness [N/m] and damping [N s/m] by which Blender pulls vertices of goals (V,)."""
    stiffness = 1.0 / (1.0 - np.minimum(goal, HELD) * settings.goal_spring) - 1.0
    damping = np.where(goal > 0.0, FRICTION * settings.goal_friction, 0.0)
    return np.column_stack((stiffness * fps**2, damping * fps))


def goal_rates(weights, elastic, fps):
    """Rows (V,2) of stiffness [1/s^2] and damping [1/s] of weights (V,), in parts of a vertex' mass."""
    return elastic.goal_factor * goal_springs(final_goal(weights, elastic), elastic, fps)
