"""Stress and stretch of deformable bodies at the frames of a run, from what its folder keeps."""

import numpy as np

from ..base.refusal import TrajectoryError
from ..dynamics.elastic import element_kernels
from ..runs.node_frames import of_body


def element_stress(constants, positions, body):
    """(von Mises' Cauchy stress [Pa], largest principal stretch) of the T tetrahedra of a body at F frames, both (F,T)
    float32; positions (F,N,3) [m] of the run's nodes; body: its number. Quadratic elements count by their corners.

    constants: see runs/node_frames.py. Raises TrajectoryError for runs that do not say what their bodies are made of.
    """
    if "law" not in constants:
        raise TrajectoryError("the run does not say what its deformable bodies are made of; simulate again")
    span, own, tets = of_body(constants, body)
    rest = np.asarray(constants["rest"][span], dtype=float)
    edges = np.transpose(rest[tets[:, 1:]] - rest[tets[:, :1]], (0, 2, 1))
    inverse = np.linalg.inv(edges)
    # Rows of the inverse are the derivatives of the corners' weights.
    gradient = np.ascontiguousarray(np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)[:, None])
    volume = np.ascontiguousarray(np.abs(np.linalg.det(edges))[:, None] / 6.0)
    mu, lam = (np.ascontiguousarray(constants[name][own], dtype=float) for name in ("mu", "lam"))
    stress, stretch = (np.empty((len(positions), len(tets)), np.float32) for _ in range(2))
    wide, mises = np.empty(len(tets)), np.empty(len(tets))
    law, elements = int(constants["law"][body]), element_kernels.Elements(tets, gradient, volume, mu, lam)
    for row, places in enumerate(positions):
        x = np.ascontiguousarray(places[span], dtype=float)
        element_kernels.strains(law, x, elements, wide, mises)
        stress[row], stretch[row] = mises, wide
    return stress, stretch


def at_nodes(constants, body, values):
    """Means (F,n) at the nodes of a body of values (F,T) of its tetrahedra, weighted by volume."""
    span, _, tets = of_body(constants, body)
    rest = np.asarray(constants["rest"][span], dtype=float)
    volume = np.abs(np.linalg.det(rest[tets[:, 1:]] - rest[tets[:, :1]])) / 6.0
    count = span.stop - span.start
    whole = np.bincount(tets.ravel(), np.repeat(volume, 4), count)
    sums = [np.bincount(tets.ravel(), np.repeat(volume * row, 4), count) for row in values]
    return (np.array(sums) / np.maximum(whole, 1e-300)).astype(np.float32)
