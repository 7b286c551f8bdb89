"""Nodes that are held at moving points, or pulled to them: the animated vertices of a mesh, between which nodes lie."""

from dataclasses import dataclass

import numpy as np

from ...base.late import late
from ...base.refusal import SceneError, finite
from .. import rotation
from ..kinematic import keys_around, pose_at

spatial = late("scipy.spatial")


@dataclass(frozen=True, eq=False)
class Goals:
    """Springs that pull nodes (g,): stiffness (g,) [N/m], drag (g,) [N s/m], and where to: paths (F,g,3) [m] with keys
    at times (F,) [s]."""

    nodes: np.ndarray
    stiffness: np.ndarray
    drag: np.ndarray
    times: np.ndarray
    paths: np.ndarray

    def aim(self, time, h):
        """(places (g,3) [m] in the middle of a step of h [s] from `time` on, velocities (g,3) over it) of the goals."""
        start, end = (points_at(self.times, self.paths, t) for t in (time, time + h))
        return 0.5 * (start + end), (end - start) / h


def goals_of(who, elastic, made):
    """Goals of a Deformable that is not pinned everywhere, None without any."""
    if len(elastic.goals) == 0:
        if elastic.goal_keys is not None:
            raise SceneError(f"{who}: has paths of goals and no goals; give them as they are at the start")
        return None
    try:
        rows = np.asarray(elastic.goals, dtype=float).reshape(len(elastic.goals), 5)
    except (TypeError, ValueError):
        rows = np.full((1, 5), np.nan)
    if not np.all(np.isfinite(rows)) or np.any(rows[:, 3:] < 0.0):
        raise SceneError(f"{who}: goals are not rows of a place, a stiffness and a damping of at least 0; correct them")
    keys = elastic.goal_keys
    if keys is not None:
        check_keys(f"{who}:", "goals", keys, len(rows))
    times, paths = (np.zeros(1), rows[None, :, :3]) if keys is None else (
        np.asarray(keys.times, dtype=float), np.asarray(keys.points, dtype=float))  # fmt: skip
    near = spatial.cKDTree(rows[:, :3]).query(made.rest)[1]
    nodes = np.flatnonzero(~made.pinned & np.any(rows[near, 3:] > 0.0, axis=1))
    if len(nodes) == 0:
        return None
    stiffness, drag = (made.mass[nodes] * rows[near[nodes], column] for column in (3, 4))
    return Goals(nodes, stiffness, drag, times, followed(made.rest[nodes], points_at(times, paths, 0.0), paths))


def check_pin_points(who, elastic, nodes):
    """Refuse points of pins that are none, or that lie away from the nodes (n,3) [m] of their body at the start."""
    if not elastic.pin_points:
        return
    try:
        points = np.asarray(elastic.pin_points, dtype=float).reshape(len(elastic.pin_points), 3)
    except (TypeError, ValueError):
        points = np.full((1, 3), np.nan)
    if not np.all(np.isfinite(points)):
        raise SceneError(f"{who}: points of its pins are not rows of three finite numbers; correct them")
    side = np.ptp(nodes, axis=0).max()
    distance, _ = spatial.cKDTree(nodes).query(points)
    # A point further away than that is not meant for this body.
    if distance.max() > 0.5 * side:
        far = int(distance.argmax())
        raise SceneError(f"{who}: pin point {far} at {points[far].tolist()} is {distance[far]:.3g} m from the body, "
                         f"whose largest side is {side:.3g} m at the start; move or remove it")  # fmt: skip


def check_pin_keys(who, body):
    """Refuse moving pins that no node can follow."""
    keys, elastic = body.elastic.pin_keys, body.elastic
    if keys is None:
        return
    if elastic.pins or body.keys is not None:
        other = "boxes of pins" if elastic.pins else "keyed poses"
        raise SceneError(f"{who}: has points of pins that move, and {other} too; give one of them")
    if len(elastic.pin_points) == 0:
        raise SceneError(f"{who}: has paths of pins and no points of pins; give the points at the start")
    check_keys(f"{who}:", "pins", keys, len(elastic.pin_points))


def check_keys(who, what, keys, count):
    """Refuse KeyedPoints that are no paths of `count` points."""
    times, points = np.asarray(keys.times, dtype=float), np.asarray(keys.points, dtype=float)
    if times.ndim != 1 or len(times) == 0 or not np.all(np.isfinite(times)) or np.any(np.diff(times) <= 0):
        raise SceneError(f"{who} times of its {what} are not finite numbers that rise; correct them")
    if points.shape != (len(times), count, 3):
        raise SceneError(f"{who} paths of its {what} have the shape {points.shape}; give {len(times)} times {count} "
                         "points of three numbers")  # fmt: skip
    if not finite(points):
        raise SceneError(f"{who} a path of its {what} holds a number that is not finite; correct it")


def pin_targets(model, state, h):
    """Where pinned nodes go, by number of their body: with the body's keyed poses, along their own paths, or where they
    rest."""
    targets = {}
    for number in np.flatnonzero(model.soft):
        body, keys = model.elastic[number], model.keys[number]
        if not body.pinned.any():
            continue
        target = body.rest
        if keys is not None:
            then, turn = pose_at(keys, state.time + h)
            first, start = pose_at(keys, 0.0)
            spin = rotation.matrix(np.stack([turn, start]))
            target = then + (body.rest - first) @ (spin[0] @ spin[1].T).T
        if body.pin_paths is not None:
            target = target.copy()
            target[body.pinned] = points_at(body.pin_times, body.pin_paths, state.time + h)
        targets[int(number)] = target
    return targets


def points_at(times, points, time):
    """Points (P,3) at `time` [s] of paths (F,P,3) with keys at times (F,): even motion between keys, held outside."""
    i, j, s = keys_around(times, time)
    return (1.0 - s) * points[i] + s * points[j]


def followed(nodes, points, paths):
    """Paths (F,n,3) of nodes (n,3) that go with points (P,3), whose paths are (F,P,3).

    A node is a weighted sum of the eight points nearest to it at the start, with weights that keep every affine motion,
    and what is left of the way from them turns with them: exact where all move as one rigid body.
    """
    count = min(8, len(points))
    near = spatial.cKDTree(points).query(nodes, count)[1].reshape(len(nodes), count)
    out = np.empty((len(paths), len(nodes), 3))
    for node, (x, own) in enumerate(zip(nodes, near, strict=True)):
        middle = points[own].mean(axis=0)
        arms = points[own] - middle
        # Points that spread less than a tenth of their widest spread, in a direction, do not carry a node along in it:
        # it keeps its distance, as if it were fixed to them.
        weights = np.linalg.pinv(arms.T, rcond=0.1) @ (x - middle)
        left = x - middle - arms.T @ weights
        moved = paths[:, own]
        center = moved.mean(axis=1)
        spread = moved - center[:, None]
        out[:, node] = center + np.einsum("k,fki->fi", weights, spread) + turned(arms, spread) @ left
    return out


def turned(arms, spread):
    """Rotations (F,3,3) that take arms (K,3) nearest to spread (F,K,3) in the sense of least squares (Kabsch 1976); no
    turn where the arms lie on one line."""
    if len(arms) < 3 or np.linalg.matrix_rank(arms, tol=1e-6 * np.abs(arms).max()) < 2:
        return np.tile(np.eye(3), (len(spread), 1, 1))
    U, _, Vt = np.linalg.svd(np.einsum("fki,kj->fij", spread, arms))
    # A mirror image is no turn: the least direction is turned round.
    U[:, :, 2] *= np.sign(np.linalg.det(U) * np.linalg.det(Vt))[:, None]
    return U @ Vt
