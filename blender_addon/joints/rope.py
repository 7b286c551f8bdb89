"""A curve, or a mesh of edges, as a rope: a capsule for every edge, ball joints between them; the object follows.

What is seen stays the object's: each of its points hangs on a capsule by a Hook, before its other modifiers.
"""

from math import pi

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..base.renewed import refer
from . import made_parts
from .adding import add_joint
from .made_parts import capsule_mesh, remove_parts

# Properties: of parts, the rope they belong to; of a curve, its data before it was cut into edges.
MARK, BEFORE = "stiction_rope", "stiction_curve"
HOOK = "Stiction Rope"
# Sides and rings of the mesh of a capsule, which is taken for the exact one.
AROUND, RINGS = 12, 4
# Length of a curve's edges in thicknesses, and their most: more make no rope look smoother, and every joint takes time.
EDGE_LENGTH, MOST_EDGES = 2.5, 60
# Of the rope's length, where neither the curve's Bevel nor the user says how thick it is.
THIN = 0.02
# Damping of a bend over its stiffness [s]: a rope that was bent swings back about once.
CALM = 0.1
# Density of wet hemp [kg/m^3], and its modulus [Pa]: how far a rope gives where it is tied at both ends.
HEMP, STRETCH = 1000.0, 1e8
ENDS = ("NONE", "START", "END", "BOTH")


def parts_of(scene, ob):
    """Capsules and joints of an object's rope."""
    return made_parts.parts_of(scene, MARK, ob)


def is_line(ob):
    """True if an object can be a rope: a curve, or a mesh without faces."""
    return ob.type == "CURVE" or (ob.type == "MESH" and not len(ob.data.polygons))


def make_rope(scene, ob, thickness=0.0, bending=0.0, tied="NONE", to=None):
    """Bodies and joints of a curve or of a mesh without faces, which follows them from then on.

    thickness [m]: 0 for the curve's Bevel, or what its length suggests; bending [N m/rad]: stiffness of each joint;
    tied: one of ENDS, or the numbers of a mesh's vertices: what is held where it is, by the object `to` or by the
    ground. Returns (bodies, joints), empty where the object has no edges.
    """
    if ob.type == "CURVE":
        _cut(ob, thickness)
    points, edges = points_and_edges(ob)
    lengths = np.linalg.norm(points[edges[:, 1]] - points[edges[:, 0]], axis=1)
    if not len(edges):
        return [], []
    # Its edges collide as bodies of their own.
    ob.stiction.type = "NONE"
    radius = 0.5 * (thickness or _bevel(ob) or THIN * float(lengths.sum()))
    bodies = [_capsule(scene, ob, points[edge], radius) for edge in edges]
    at, joints = _meeting(points, edges), []
    for number, meeting in enumerate(at):
        ends = [bodies[k] for k in meeting]
        joints += [_joint(scene, ob, (ends[0], other), points[number], bending) for other in ends[1:]]
    ties = [_joint(scene, ob, (to, bodies[at[number][0]]), points[number], 0.0) for number in _held(at, tied)]
    for tie in ties if len(ties) > 1 else ():
        # Edges do not stretch, and what is taut from tie to tie could carry nothing.
        tie.stiction_joint.compliance = float(lengths.sum()) / (STRETCH * pi * radius**2)
    joints += ties
    bpy.context.view_layer.update()
    for number, meeting in enumerate(at):
        if len(meeting):
            _hook(ob, number, bodies[meeting[0]])
    return bodies, joints


def pull(scene, ob, bodies, springs):
    """Springs that pull the points of a rope of these bodies to where they are now: rows (P,2) of stiffness [N/m] and
    damping [N s/m], none where the stiffness is 0. Returns joints."""
    points, edges = points_and_edges(ob)
    at, made = _meeting(points, edges), []
    for number in np.flatnonzero(springs[:, 0] > 0.0):
        if not len(at[number]):
            continue
        joint = add_joint(scene, "generic", (None, bodies[at[number][0]]), Vector(points[number]))
        joint.name, joint[MARK] = f"{ob.name} Goal", ob.name
        own = joint.stiction_joint
        own.free = (True,) * 6
        for travel in (own.x, own.y, own.z):
            travel.drive, travel.target = "SPRING", 0.0
            travel.stiffness, travel.damping = springs[number]
        made.append(joint)
    return made


def _meeting(points, edges):
    """Numbers of the edges (E,2) that meet at each point."""
    return [np.flatnonzero((edges == number).any(axis=1)) for number in range(len(points))]


def _held(at, tied):
    """Numbers of the points that are tied: those said, or of the loose ends the first, the last or both."""
    if not isinstance(tied, str):
        return [number for number in tied if len(at[number])]
    loose = [number for number, meeting in enumerate(at) if len(meeting) == 1]
    return {"NONE": [], "START": loose[:1], "END": loose[-1:], "BOTH": loose[:1] + loose[1:][-1:]}[tied]


def points_and_edges(ob):
    """Points (P,3) in the world, as its vertices or control points are counted, and edges (E,2) of an object that have
    a length."""
    if ob.type == "MESH":
        local = np.empty(3 * len(ob.data.vertices))
        ob.data.vertices.foreach_get("co", local)
        edges = np.array([edge.vertices for edge in ob.data.edges], dtype=int).reshape(-1, 2)
        local = local.reshape(-1, 3)
    else:
        local, pairs = [], []
        for spline in ob.data.splines:
            first, count = len(local), len(spline.points)
            local += [point.co[:3] for point in spline.points]
            pairs += [(first + k, first + (k + 1) % count) for k in range(count if spline.use_cyclic_u else count - 1)]
        local, edges = np.array(local).reshape(-1, 3), np.array(pairs, dtype=int).reshape(-1, 2)
    matrix = np.array(ob.matrix_world)
    points = local @ matrix[:3, :3].T + matrix[:3, 3]
    return points, edges[(points[edges[:, 0]] != points[edges[:, 1]]).any(axis=1)]


def _bevel(ob):
    """Thickness [m] that a curve is shown with; 0 for none."""
    return 2.0 * ob.data.bevel_depth * max(ob.matrix_world.to_scale()) if ob.type == "CURVE" else 0.0


def _cut(ob, thickness):
    """Give a curve data of its own whose splines are straight edges along it; the old data are kept."""
    old, scale = ob.data, max(ob.matrix_world.to_scale())
    new = old.copy()
    new.splines.clear()
    old.use_fake_user, ob[BEFORE] = True, old.name
    for line, cyclic in _lines(old):
        steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
        whole = float(steps.sum())
        wanted = (thickness / scale if thickness else 2.0 * old.bevel_depth or THIN * whole) * EDGE_LENGTH
        count = int(np.clip(round(whole / wanted), 2, MOST_EDGES)) if whole > 0.0 else 1
        where, along = np.linspace(0.0, whole, count + 1), np.concatenate(([0.0], np.cumsum(steps)))
        places = np.stack([np.interp(where, along, line[:, k]) for k in range(3)], axis=1)
        places = places[:-1] if cyclic else places
        spline = new.splines.new("POLY")
        spline.points.add(len(places) - 1)
        spline.points.foreach_set("co", np.insert(places, 3, 1.0, axis=1).ravel())
        spline.use_cyclic_u = cyclic
    ob.data = new
    refer(ob, new)


def _lines(curve):
    """[(places (P,3) along a spline, whether it is closed)], in the curve's own frame."""
    bare = curve.copy()
    bare.bevel_depth, bare.extrude, bare.bevel_mode = 0.0, 0.0, "ROUND"
    found = []
    for number in range(len(bare.splines)):
        one = bare.copy()
        for other in [spline for k, spline in enumerate(one.splines) if k != number]:
            one.splines.remove(other)
        cyclic = one.splines[0].use_cyclic_u
        holder = bpy.data.objects.new("rope", one)
        line = np.array([vertex.co for vertex in holder.to_mesh().vertices]).reshape(-1, 3)
        holder.to_mesh_clear()
        found.append((np.concatenate((line, line[:1])) if cyclic else line, cyclic))
        bpy.data.objects.remove(holder)
        bpy.data.curves.remove(one)
    bpy.data.curves.remove(bare)
    return found


def _capsule(scene, ob, ends, radius):
    """The body of one edge, from end to end (2,3)."""
    along = Vector(ends[1] - ends[0])
    mesh = bpy.data.meshes.new(f"{ob.name} Part")
    half = 0.5 * along.length
    vertices, edges, faces = capsule_mesh(-half, half, radius, AROUND, RINGS)
    # The axis of a body's capsule is its Z.
    mesh.from_pydata([(z, x, y) for x, y, z in vertices], edges, faces)
    part = bpy.data.objects.new(mesh.name, mesh)
    part.rotation_mode, part[MARK], part.display_type, part.hide_render = "QUATERNION", ob.name, "WIRE", True
    part.matrix_world = Matrix.Translation(ends.mean(axis=0)) @ along.to_track_quat("Z", "Y").to_matrix().to_4x4()
    scene.collection.objects.link(part)
    part.stiction.type, part.stiction.shape, part.stiction.density = "ACTIVE", "CAPSULE", HEMP
    return part


def _joint(scene, ob, ends, place, bending):
    """A ball joint of two bodies at a place, where `bending` is above 0 one that springs back about all axes."""
    kind = "generic" if bending > 0.0 else "ball"
    made = add_joint(scene, kind, ends, Vector(place), "LINE" if None not in ends else "Z")
    made.name, made[MARK] = f"{ob.name} Joint", ob.name
    if bending > 0.0:
        own = made.stiction_joint
        own.free = (False, False, False, True, True, True)
        for turn in (own.rx, own.ry, own.rz):
            turn.drive, turn.target, turn.stiffness, turn.damping = "SPRING", 0.0, bending, CALM * bending
    return made


def _hook(ob, number, part):
    """Let a point of the object follow a body: the first of its modifiers."""
    hook = ob.modifiers.new(HOOK, "HOOK")
    hook.object = part
    hook.matrix_inverse = part.matrix_world.inverted() @ ob.matrix_world
    hook.vertex_indices_set([number])
    ob.modifiers.move(len(ob.modifiers) - 1, sum(other.name.startswith(HOOK) for other in ob.modifiers) - 1)


def remove(scene, ob):
    """Take a rope's bodies, joints and hooks away; a curve has its old data again. Returns how many objects went."""
    for hook in [modifier for modifier in ob.modifiers if modifier.name.startswith(HOOK)]:
        ob.modifiers.remove(hook)
    count = remove_parts(parts_of(scene, ob))
    old = bpy.data.curves.get(ob.get(BEFORE, ""))
    if old is not None:
        cut, ob.data, old.use_fake_user = ob.data, old, False
        bpy.data.curves.remove(cut)
    if BEFORE in ob:
        del ob[BEFORE]
    return count
