"""Compile what a method needs before its clock starts, so that reported times exclude compilation."""

import dataclasses

import numpy as np

from .. import methods
from ..dynamics.contact_rows import contact_rows, rigid_inverse_mass
from ..problem import Block, assemble, from_delassus


def two_bodies():
    """Two unit masses on each other on the ground: eight contacts between rigid bodies, one of them sliding."""
    corners = np.array([[x, y] for x in (-0.5, 0.5) for y in (-0.5, 0.5)])
    position = np.concatenate([np.column_stack([corners, np.zeros(4)]), np.column_stack([corners, np.ones(4)])])
    body_a, body_b = np.repeat([0, 1], 4), np.repeat([1, 2], 4)
    frame = np.tile(np.roll(np.eye(3), 1, axis=0)[None], (8, 1, 1))
    center = np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 0.5], [0.0, 0.0, 1.5]])
    mass = np.array([0.0, 1.0, 1.0])
    inertia = mass[:, None, None] * np.eye(3) / 6.0
    inverse = np.array([0.0, 1.0, 1.0])
    J, G, _ = contact_rows(
        body_a, body_b, position, frame, np.full(8, 3), center, inverse, 6.0 * inverse[:, None, None] * np.eye(3)
    )
    b = np.tile([-0.1, 0.02, 0.0], 8)
    b[12::3] = 0.0
    W = rigid_inverse_mass(inverse, 6.0 * inverse[:, None, None] * np.eye(3), mass, inertia)
    return assemble(np.full(8, int(Block.CONTACT)), 3 * np.arange(9), J, G, b, np.tile([0.5, 0.5, 0.0], (8, 1)), 12,
                    inverse_mass=W, name="warm-up")  # fmt: skip


def warm_up_method(key, options):
    """Run method `key` once on two tiny problems with the given options, so that its kernels are compiled."""
    # With tolerance 0 and so many iterations sweeps come to Newton steps.
    most = min(options.max_iterations, 1000)
    quick = dataclasses.replace(options, tolerance=0.0, max_iterations=most, time_limit=0.0)
    bodies = two_bodies()
    small = from_delassus(bodies.delassus(), bodies.b, bodies.mu[:, :1], name="warm-up")
    for problem in (bodies, small):
        methods.solve(problem, None, key, quick)
    # With a history a solve goes from kernel to kernel, as those of large islands do.
    methods.solve(bodies, None, key, dataclasses.replace(quick, record_history=True))
