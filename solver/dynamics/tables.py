"""The constants of a Model in the form kernels take them: few tuples of arrays, made once."""

from typing import NamedTuple

import numpy as np

from ..collision.contacts import ContactSet


class BodyTables(NamedTuple):
    """Constants of R bodies, see Model; dof_of_body (R,): first velocity component, -1 for bodies that no impulse
    moves; directed (R,) bool: friction has a direction."""

    mass: np.ndarray
    inverse_mass: np.ndarray
    inertia: np.ndarray
    inverse_inertia: np.ndarray
    size: np.ndarray
    material: np.ndarray
    dof_of_body: np.ndarray
    directed: np.ndarray
    gyroscopic: np.ndarray
    gravity: np.ndarray


class PairTables(NamedTuple):
    """What two of M materials have in common: mu (M,M,3), restitution (M,M,2) normal, tangential; law (M,M) int64."""

    mu: np.ndarray
    restitution: np.ndarray
    law: np.ndarray


class StepColumns(NamedTuple):
    """Columns of a ContactStep that its right-hand sides need, see there."""

    contacts: ContactSet
    frame: np.ndarray
    restitution: np.ndarray
    tangential_restitution: np.ndarray
    before: np.ndarray
    free: np.ndarray
    late: np.ndarray


def body_tables(model):
    """BodyTables of a Model."""
    floats = (model.mass, model.inverse_mass, model.inertia, model.inverse_inertia, model.size)
    material = np.ascontiguousarray(model.material, dtype=np.int64)
    return BodyTables(
        *(np.ascontiguousarray(array, dtype=float) for array in floats),
        material=material,
        dof_of_body=dof_of_bodies(model.inverse_mass),
        directed=np.asarray(model.anisotropic, dtype=bool)[material],
        gyroscopic=np.ascontiguousarray(model.gyroscopic, dtype=bool),
        gravity=np.ascontiguousarray(model.gravity, dtype=float),
    )


def pair_tables(model):
    """PairTables of a Model."""
    return PairTables(
        np.ascontiguousarray(model.mu, dtype=float),
        np.ascontiguousarray(model.restitution, dtype=float),
        np.ascontiguousarray(model.law, dtype=np.int64),
    )


def dof_of_bodies(inverse_mass):
    """First velocity component (R,) of each body, -1 for bodies that no impulse moves."""
    moving = inverse_mass > 0
    return np.where(moving, 6 * (np.cumsum(moving) - 1), -1).astype(np.int64)
