"""Blender's Soft Body of a curve or of a mesh of edges -> a rope of rigid edges, with a report."""

import numpy as np

from ...solver.base.wording import counted
from ..base.clock import frames_per_second
from ..base.curves import curves_of
from ..exporting.meshes import mesh_of
from ..joints.rope import make_rope, points_and_edges, pull
from .goals import HELD, final_goal, goal_springs
from .settings import weights_in
from .soft_rest import say_rest

# Places on each line between two control points of a curve among which the nearest to a point of the rope is looked
# for.
BETWEEN = 32
# Goal below which a pull is not seen: a weight of 0.1, where the least weight of a curve's point is 0.01.
SEEN = 1e-4
# Paths of curves that move an object.
MOVING = ("location", "rotation", "scale", "delta_")


def take_over_rope(scene, ob, source, entry):
    """Make a rope of an object by its Soft Body settings `source`, and say in the Entry of the report what became of
    them."""
    places, goals = _goals(ob, source)
    held = _held(ob, goals)
    bodies, _ = make_rope(scene, ob, tied=held)
    if not bodies:
        entry.left_out.append("it has no edges; add some between its points, and import again")
        return
    whole = source.mass * len(goals)
    for body in bodies:
        body.stiction.use_mass, body.stiction.mass = True, whole / len(bodies)
    entry.taken.append(f"a rope of {len(bodies)} edges, {whole:.3g} kg in all; *Remove Rope* takes it away")
    if source.vertex_group_mass:
        entry.left_out.append(f"mass by the vertex group {source.vertex_group_mass!r}: all edges are alike; set the "
                              "mass of their bodies")  # fmt: skip
    if source.use_edges:
        entry.changed.append(f"pull {source.pull:.3g}: its edges do not stretch")
    if source.use_edges and source.bend > 0.0:
        entry.left_out.append(f"bending {source.bend:.3g}: it is limp; make it anew with Bending for a stiff one")
    if source.use_goal:
        _say_goal(entry, source, held, _pull(scene, ob, bodies, source, (places, goals)))
        if _moves(ob):
            entry.left_out.append("its own motion: what is held or pulled stays where it is at this frame; make it "
                                  "anew with an Animated body selected, which holds it")  # fmt: skip
    if source.plastic:
        entry.left_out.append(f"plasticity {source.plastic}: a limp rope has no form to spring back to")
    say_rest(ob, source, entry)


def _moves(ob):
    """Whether an object has a motion of its own: keys that move it or its points, a parent, constraints."""
    keyed = any(curve.data_path.startswith(MOVING) for curve in curves_of(ob.animation_data))
    inside = ob.data.animation_data is not None or ob.data.shape_keys is not None
    return keyed or inside or ob.parent is not None or len(ob.constraints) > 0


def _say_goal(entry, source, held, count):
    where = _where(held) if len(held) else "nowhere"
    by = f"stiffness {source.goal_spring:.3g}, damping {source.goal_friction:.3g}"
    pulled = f"{counted(count, 'point')} pulled by springs, {by}" if count else "no point is pulled"
    entry.taken.append(f"goal: held where it is 1 ({where}); {pulled}")


def _where(held):
    if isinstance(held, str):
        return {"START": "its start", "END": "its end", "BOTH": "both ends"}[held]
    return counted(len(held), "point")


def _goals(ob, source):
    """Places (P,3) in the object's own coordinates and goals (P,) from 0 to 1 of its vertices or control points, as
    Blender takes them: of a curve without Min and Max."""
    if ob.type == "CURVE":
        points = [point for spline in ob.data.splines for point in (spline.bezier_points or spline.points)]
        places = np.array([point.co[:3] for point in points]).reshape(-1, 3)
        goals = np.array([point.weight_softbody for point in points]) ** 4
    else:
        places, weights = np.array([vertex.co for vertex in ob.data.vertices]).reshape(-1, 3), None
        if source.vertex_group_goal:
            weights = weights_in(ob, mesh_of(ob), source.vertex_group_goal)
        goals = final_goal(np.full(len(places), source.goal_default) if weights is None else weights, source)
    return places, goals if source.use_goal else np.zeros(len(goals))


def _held(ob, goals):
    """What of a rope is held: as `make_rope` takes it; () for nothing."""
    if ob.type == "CURVE":
        ends = [len(goals) > 0 and goals[k] >= HELD for k in (0, -1)]
        return {(True, True): "BOTH", (True, False): "START", (False, True): "END"}.get(tuple(ends), ())
    return tuple(np.flatnonzero(goals >= HELD).tolist())


def _pull(scene, ob, bodies, source, drawn):
    """Pull the points of a rope whose goal is between 0 and 1, drawn: places and goals before a curve was cut; returns
    how many."""
    places, goals = drawn
    found, share = goals, 1.0
    if ob.type == "CURVE":
        matrix = np.array(ob.matrix_world)
        points, _ = points_and_edges(ob)
        found = _along(points, places @ matrix[:3, :3].T + matrix[:3, 3], goals)
        # As many springs as points: together they pull as hard as those of the control points.
        share = len(goals) / max(len(found), 1)
    springs = share * goal_springs(found, source, frames_per_second(scene))
    springs[(found >= HELD) | (found < SEEN)] = 0.0
    return len(pull(scene, ob, bodies, springs))


def _along(points, places, goals):
    """Goals of points (P,3) along lines through places (C,3) with goals (C,)."""
    at = np.linspace(0.0, len(places) - 1.0, BETWEEN * (len(places) - 1) + 1)
    line = np.stack([np.interp(at, np.arange(len(places)), places[:, k]) for k in range(3)], axis=1)
    nearest = np.linalg.norm(points[:, None] - line[None], axis=2).argmin(axis=1)
    return np.interp(at, np.arange(len(places)), goals)[nearest]
