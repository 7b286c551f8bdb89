"""What the rows of contacts and attachments do to the nodes of deformable bodies, so that momenta are kept.

Both sides of a row are pushed about one point. Where that is not the point of a side's own surface, its nodes get a
couple: of a node at z_i of a triangle with the mean z it is (G^-1 (s x d)) x (z_i - z), d the direction of the row, s
from the side's own point to the common one, G the second moments of the triangle about z. It has no sum.
"""

import numpy as np


def common_points(contacts, node, weight, x):
    """Positions (C,3) of contacts, such that their rows push about one point: that of a deformable side, of two of them
    the one with fewer nodes; unchanged where neither is deformable. node, weight (C,2,3): see SoftRows; x (N,3): nodes.

    Rows of a rigid body push half an open gap from the position, where its own surface is.
    """
    count = (node >= 0).sum(axis=2)
    own = _own_points(node, weight, x)
    first = (count[:, 0] > 0) & ((count[:, 1] == 0) | (count[:, 0] <= count[:, 1]))
    at = np.where(first[:, None], own[:, 0], own[:, 1])
    rigid = (count == 0).any(axis=1)
    away = np.where(first, -0.5, 0.5) * np.where(rigid, np.maximum(contacts.gap, 0.0), 0.0)
    at = at + away[:, None] * contacts.normal
    return np.where((count > 0).any(axis=1)[:, None], at, contacts.position)


def directions(node, weight, frame, x, completed):
    """(node (C,2,3), push (C,2,3,3,3)): push[c, side, j, i] is what a unit impulse of row i does to a node, without the
    sign of the side; frame (C,3,3): directions of the rows. completed(nodes (k,3)) -> (k,3): triangles of the surface
    that one or two nodes, -1 for none, belong to."""
    push = weight[..., None, None] * frame[:, None, None]
    both = np.flatnonzero((node >= 0).any(axis=2).all(axis=1))
    if len(both) == 0:
        return node, push
    node = node.copy()
    own = _own_points(node[both], weight[both], x)
    few = (node[both] >= 0).sum(axis=2)
    other = np.where(few[:, 0] <= few[:, 1], 1, 0)
    offset = own[np.arange(len(both)), 1 - other] - own[np.arange(len(both)), other]
    node[both, other] = completed(node[both, other])
    z = x[node[both, other]]
    arm = z - z.mean(axis=1, keepdims=True)
    second = np.einsum("cji,cji->c", arm, arm)[:, None, None] * np.eye(3) - np.einsum("cji,cjk->cik", arm, arm)
    turn = np.linalg.solve(second[:, None], np.cross(offset[:, None], frame[both])[..., None])[..., 0]
    push[both, other] += np.cross(turn[:, None], arm[:, :, None])
    return node, push


def _own_points(node, weight, x):
    return np.einsum("csj,csjk->csk", np.where(node >= 0, weight, 0.0), x[np.maximum(node, 0)])
