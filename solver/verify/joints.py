"""Joints: what each type holds, from the poses of its bodies, and that its impulses are equal and opposite."""

import numpy as np

from .mechanics import matrix, turned


def across(d, A, B):
    """Two lengths across the axis."""
    return np.einsum("fi,fij->fj", d, A)[:, :2]


def along(d, A, B):
    """One along it."""
    return np.einsum("fi,fi->f", d, A[:, :, 2])[:, None]


def point(d, A, B):
    """Three."""
    return d


def aligned(d, A, B):
    """How far z of B leans in the plane of s and t of A."""
    return np.einsum("fij,fi->fj", A[:, :, :2], B[:, :, 2])


def alike(d, A, B):
    """Sines of the angles of B in A."""
    C = A.transpose(0, 2, 1) @ B
    return 0.5 * np.column_stack([C[:, 2, 1] - C[:, 1, 2], C[:, 0, 2] - C[:, 2, 0], C[:, 1, 0] - C[:, 0, 1]])


def square(d, A, B):
    """How far t of B is from square to s of A."""
    return np.einsum("fi,fi->f", A[:, :, 0], B[:, :, 1])[:, None]


# What holds of each type: lengths [m] and sines of angles that are zero.
HELD = {
    "ball": (point, None), "fixed": (point, alike), "hinge": (point, aligned), "universal": (point, square),
    "slider": (across, alike), "cylindrical": (across, aligned), "planar": (along, aligned),
}  # fmt: skip


def openings(joint, position, orientation):
    """(gap (F,) [m], angle (F,)) by which a joint is open at poses of all bodies (F,R,3), (F,R,4); None for a type that
    is not in HELD, or that yields."""
    if joint["type"] not in HELD or joint.get("compliance", 0.0) > 0:
        return None
    anchors, axes = [], []
    for body, anchor, frame in zip(joint["ends"], joint["anchors"], joint["frames"], strict=True):
        count = len(position)
        R = np.tile(np.eye(3), (count, 1, 1)) if body < 0 else matrix(orientation[:, body])
        at = np.zeros((count, 3)) if body < 0 else position[:, body]
        anchors.append(at + turned(R, np.tile(anchor, (count, 1))))
        axes.append(R @ np.array(frame))
    lengths, angles = HELD[joint["type"]]
    given = anchors[1] - anchors[0], *axes
    gap = np.linalg.norm(lengths(*given), axis=1)
    return gap, np.zeros(len(gap)) if angles is None else np.linalg.norm(angles(*given), axis=1)


def floating(run):
    """The group (N,) of bodies that joints couple with nothing fixed which each row of bodies is of, by its first row;
    -1 for the others."""
    label, fixed = np.arange(len(run.body)), np.zeros(len(run.body), dtype=bool)
    # A joint has an entry for each of its blocks.
    substep, joint, at = np.unique(np.stack([run.joint_of, run.joint, run.at]), axis=1)
    same = (np.diff(substep) == 0) & (np.diff(joint) == 0)
    a, b = at[:-1][same], at[1:][same]
    # Of a joint with what does not move there is one body alone.
    alone = ~np.append(same, False) & ~np.append(False, same)[: len(at)]
    fixed[at[alone]] = True
    while True:
        low = np.minimum(label[a], label[b])
        if np.array_equal(low, label[a]) and np.array_equal(low, label[b]):
            break
        np.minimum.at(label, a, low)
        np.minimum.at(label, b, low)
    coupled = np.zeros(len(label), dtype=bool)
    coupled[a] = coupled[b] = True
    return np.where(coupled & ~np.isin(label, label[fixed]), label, -1)


def mean_places(run, gravity):
    """How far (E,) [m] joints may push from where their bodies are in the middle of a substep: in the mean over it, a
    third of h^2 / 2 times the acceleration further."""
    h = run.length[run.joint_of]
    gained = np.linalg.norm(run.push.velocity[run.at] - run.start.velocity[run.at], axis=1)
    return h / 3.0 * (gained + h * np.linalg.norm(gravity))


def unbalanced(run, places):
    """(force (n,) [N s], moment (n,) [N m s], their size (n,), moments (n,) that forces make over `places` (E,) [m],
    substep (n,), joint (n,)): what the impulses of each joint between bodies that all move freely add up to, about the
    world's origin."""
    ends = np.array([joint["ends"] for joint in run.constants["joints"]]).reshape(-1, 2)
    moves = set(zip(run.of[run.moves].tolist(), run.body[run.moves].tolist(), strict=True))
    free = np.array([all((s, b) in moves for b in ends[j]) for s, j in
                     zip(run.joint_of.tolist(), run.joint.tolist(), strict=True)], dtype=bool)  # fmt: skip
    rows = np.flatnonzero(free)
    keys, index = np.unique(np.column_stack([run.joint_of, run.joint])[rows], axis=0, return_inverse=True)
    total, size, over = np.zeros((len(keys), 6)), np.zeros(len(keys)), np.zeros(len(keys))
    force = run.wrench[rows, :3]
    moment = run.wrench[rows, 3:] + np.cross(run.push.position[run.at[rows]], force)
    np.add.at(total, index.ravel(), np.concatenate([force, moment], axis=1))
    reach = 1.0 + np.linalg.norm(run.push.position[run.at[rows]], axis=1)
    np.add.at(size, index.ravel(), reach * np.linalg.norm(force, axis=1) + np.linalg.norm(run.wrench[rows, 3:], axis=1))
    np.add.at(over, index.ravel(), places[rows] * np.linalg.norm(force, axis=1))
    left = np.linalg.norm(total[:, :3], axis=1), np.linalg.norm(total[:, 3:], axis=1)
    return (*left, size, over, *keys.T.reshape(2, -1))
