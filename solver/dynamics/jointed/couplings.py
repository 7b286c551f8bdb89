"""Which bodies something couples, in one place: contacts and joints. Islands, substeps and sleep follow it."""

import numpy as np

from ..goal_kernels import moving_ends


def couplings(model, contacts):
    """Bodies a, b (P,) of every coupling of a Model: those of the contacts, then those of the joints.

    Joints that broke count still: to step bodies together that need not be is no error.
    """
    joined = model.joints.coupled
    if len(joined) == 0:
        return contacts.body_a, contacts.body_b
    return np.concatenate([contacts.body_a, joined[:, 0]]), np.concatenate([contacts.body_b, joined[:, 1]])


def block_bodies(model, step):
    """A body (B,) that moves of each block of a ContactStep."""
    contacts = step.contacts
    ends = np.empty(contacts.count, dtype=np.int64)
    moving_ends(model.inverse_mass, contacts.body_a, contacts.body_b, ends)
    return ends if step.joints is None else np.concatenate([ends, step.joints.bodies])


def ends_of_block(model, step, k):
    """The two bodies of block k of a ContactStep: one that moves, and another, -1 for none."""
    first, contacts = int(block_bodies(model, step)[k]), step.contacts
    if k < contacts.count:
        return first, int(contacts.body_a[k] + contacts.body_b[k]) - first
    blocks = step.joints.tables.blocks
    own = step.joints.blocks[k - contacts.count]
    others = [int(body) for body in blocks.body[blocks.body_start[own] : blocks.body_start[own + 1]] if body != first]
    return first, others[0] if others else -1
