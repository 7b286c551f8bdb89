"""Where contacts lie and how their normals stand, against the shapes of both bodies."""

import numpy as np

from .mechanics import matrix, turned
from .shapes import TOGETHER, faces, reported

# Faces count as wider by this part of the smaller body: corners over them stay, and keep their names.
WIDER = 5e-4
NORMALS = "normals are those of faces, edges and corners"
# Points are inside a triangle of nodes if none of these weighs less.
INSIDE = 1e-3
# Degrees by which round-off of poses and normals may turn a normal.
ROUND_OFF = 1e-4


def leaning(n, normals, arms, radius=0.0):
    """By how much [degrees] a unit vector n (3,) is outside the cone of normals (k,3); how far [m] arms (m,3), and a
    radius about their ends, reach to where it leans."""
    # Here, for Blender loads this package when it starts.
    from scipy.optimize import nnls

    rest = n - normals.T @ nnls(normals.T, n)[0]
    sine = np.linalg.norm(rest)
    return np.degrees(np.arcsin(min(sine, 1.0))), np.max(arms @ rest) / max(sine, 1e-300) + radius


def beside(solids, x, n, close):
    """Of points x (n,3) at the surface of the union of solids and unit vectors n (n,3) outwards: how far (n,) [m] x
    is from it; by how much (n,) [degrees] n are outside the cone of the normals of the faces next to them, which is
    that of an edge or a corner there; and how far (n,) [m] those faces reach to where n leans. Next are faces that are
    no further than the nearest one and `close` (n,) [m]."""
    found, every = np.zeros((2, len(solids), len(x))), [faces(solid, x) for solid in solids]
    limit = np.min([one[1].min(axis=1) for one in every], axis=0) + close
    for k, (_, away, normals, points, radius) in enumerate(every):
        near, facing = away <= limit[:, None], np.einsum("nki,ni->nk", normals, n)
        own = np.any(near & (facing > 1.0 - 1e-15), axis=1)
        found[0, k] = np.where(own, 0.0, 90.0)
        for i in np.flatnonzero(near.any(axis=1) & ~own):
            found[:, k, i] = leaning(n[i], normals[i, near[i]], points[near[i]] - x[i], radius)
    lean, reach = found[:, np.argmin(found[0], axis=0), np.arange(len(x))]
    return np.abs(np.min([one[0] for one in every], axis=0)), lean, reach


def surfaces(run):
    """The points of contacts of rigid bodies, half a gap to each side, are on the surfaces of their bodies; normals are
    those of the faces there, or between those of an edge or a corner."""
    of, wider = run.contact_of, WIDER * np.minimum(run.size[run.a], run.size[run.b])
    # Contacts that nothing came of are where their features might have met: beyond the ends of edges, beside faces.
    acts = np.any(run.impulse != 0.0, axis=1)
    (off, lean, reach), known = np.zeros((3, 2, len(of))), ~run.deforms[run.body[[run.a, run.b]]] & acts
    # Those of bodies in motion are found where they will meet, until the end of the next substep at the latest.
    speed = run.speed - run.length[run.of] * np.linalg.norm(run.gravity)
    moved = 2 * (speed[run.a] + speed[run.b]) * run.horizon[of]
    for side, (rows, sign) in enumerate(((run.a, 1.0), (run.b, -1.0))):
        R, body = matrix(run.push.orientation[rows]).transpose(0, 2, 1), run.body[rows]
        x = run.point - 0.5 * sign * run.gap[:, None] * run.normal - run.push.position[rows]
        x, n = turned(R, x) + run.constant("center_of_mass")[rows], turned(R, sign * run.normal)
        for number in np.unique(body[~run.deforms[body]]):
            own, solids = np.flatnonzero((body == number) & acts), run.constants["shapes"][number]
            count = sum(len(solid.get("triangles", ())) for solid in solids)
            for part in np.array_split(own, 1 + count * len(own) // TOGETHER):
                found = beside(solids, x[part], n[part], (2 * wider + moved)[part])
                off[side, part], lean[side, part], reach[side, part] = found
        # Of deformable bodies the faces that are touched are known, beside edges they are not.
        touched = run.sides[side]
        for k in np.flatnonzero(touched.weight.min(axis=1) > INSIDE):
            own, nodes = touched.contacts[k], run.node["y"][touched.nodes[k]]
            face, arms = np.cross(*np.diff(nodes, axis=0)), nodes - touched.weight[k] @ nodes
            found = leaning(sign * run.normal[own], face[None] / np.linalg.norm(face), arms)
            (lean[side, own], reach[side, own]), known[side, own] = found, True
    rigid = np.ones(len(of), dtype=bool)
    rigid[run.stencil_contact] = False
    yield ("contacts lie on the surfaces of their bodies, at their gaps", "m", np.where(rigid, off.max(axis=0), 0.0),
           wider + moved, *run.meetings())  # fmt: skip
    # A face may be turned by as much as the gap, and overlap in the step, leave it; and, within a step, by its body,
    # or by how its nodes move beside each other. Round faces turn along the way to where bodies meet.
    deepest = reported(run, np.arange(len(run.step)))
    spin = np.max([np.linalg.norm(one.spin, axis=1) for one in (run.start, run.push)], axis=0)
    np.maximum.at(deepest, of, -run.gap)
    bend, h = np.zeros(len(spin)), run.header["options"]["time_step"]
    bend[run.group_row] = [np.linalg.norm(np.ptp(run.node["v"][nodes], axis=0)) for _, nodes in run.groups]
    room = wider + moved + np.maximum(run.gap, 0.0) + deepest[of] + h * (bend[run.a] + bend[run.b])
    allowed = np.arcsin(np.minimum(room / np.maximum(reach, 1e-300), 1.0)) + h * (spin[run.a] + spin[run.b])
    # What lies on no surface where impulses act is foreseen, at poses that are not recorded.
    side, own = np.nonzero(np.all(off <= wider, axis=0) & known)
    when, *who = run.meetings()
    yield (NORMALS, "degrees", lean[side, own], np.degrees(allowed[side, own]) + ROUND_OFF, when[own],
           np.array(who)[side, own])  # fmt: skip
