"""Blender's Soft Body of a curve or of a mesh of edges -> a rope of rigid edges, with a report."""

from ...solver.base.wording import counted
from ..joints.rope import make_rope

# Goal weight from which on a point is held.
HELD = 0.999


def take_over_rope(scene, ob, source, entry):
    """Make a rope of an object by its Soft Body settings `source`, and say in the Entry of the report what became of
    them."""
    held = _held(ob, source)
    bodies, _ = make_rope(scene, ob, tied=held)
    if not bodies:
        entry.left_out.append("it has no edges; add some between its points, and import again")
        return
    whole = source.mass * (len(bodies) + 1)
    for body in bodies:
        body.stiction.use_mass, body.stiction.mass = True, whole / len(bodies)
    entry.taken.append(f"a rope of {len(bodies)} edges, {whole:.3g} kg in all; *Remove Rope* takes it away")
    if source.use_edges:
        entry.changed.append(f"pull {source.pull:.3g}: its edges do not stretch")
    if source.use_edges and source.bend > 0.0:
        entry.left_out.append(f"bending {source.bend:.3g}: it is limp; make it anew with Bending for a stiff one")
    if source.use_goal:
        entry.taken.append(f"goal: held where its weight is 1 ({'nowhere' if not len(held) else _where(held)}), "
                           "loose elsewhere")  # fmt: skip
    if source.plastic:
        entry.left_out.append(f"plasticity {source.plastic}: a limp rope has no form to spring back to")


def _where(held):
    if isinstance(held, str):
        return {"START": "its start", "END": "its end", "BOTH": "both ends"}[held]
    return counted(len(held), "point")


def _held(ob, source):
    """What of a rope is held: as `make_rope` takes it; () for nothing."""
    if not source.use_goal:
        return ()
    if ob.type == "CURVE":
        points = [point for spline in ob.data.splines for point in (spline.bezier_points or spline.points)]
        ends = [len(points) > 0 and points[k].weight_softbody >= HELD for k in (0, -1)]
        return {(True, True): "BOTH", (True, False): "START", (False, True): "END"}.get(tuple(ends), ())
    group = ob.vertex_groups.get(source.vertex_group_goal)
    if group is None:
        return tuple(range(len(ob.data.vertices))) if source.goal_default >= HELD else ()
    return tuple(vertex.index for vertex in ob.data.vertices
                 if any(one.group == group.index and one.weight >= HELD for one in vertex.groups))  # fmt: skip
