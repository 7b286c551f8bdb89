"""Which pairs of bodies may collide: layers, excluded pairs, and nothing between two bodies that cannot move."""

from numbers import Real
from typing import NamedTuple

import numpy as np

LAYERS = 32


class PairFilter(NamedTuple):
    """What the broad phase asks of R bodies.

    movable (R,) bool; belongs, collides (R,) int64: bit masks of the layers a body is on and of those it collides
    with; a pair collides only if each is on a layer that the other collides with. excluded_start (R+1,) int64,
    excluded (E,) int64: the bodies of higher number that a body never collides with, ascending.
    """

    movable: np.ndarray
    belongs: np.ndarray
    collides: np.ndarray
    excluded_start: np.ndarray
    excluded: np.ndarray


def pair_filter(movable, belongs=None, collides=None, excluded=()):
    """PairFilter of bodies with movable (R,) bool; masks (R,) default to every layer, excluded: pairs of numbers."""
    movable = np.asarray(movable, dtype=bool).ravel()
    count = len(movable)
    masks = [np.full(count, layer_mask(None)) if mask is None else np.asarray(mask) for mask in (belongs, collides)]
    pairs = np.sort(np.array(list(excluded), dtype=np.int64).reshape(-1, 2), axis=1)
    pairs = np.unique(pairs, axis=0) if len(pairs) else pairs
    return PairFilter(
        movable,
        *(np.ascontiguousarray(mask.reshape(count), dtype=np.int64) for mask in masks),
        np.searchsorted(pairs[:, 0], np.arange(count + 1)),
        np.ascontiguousarray(pairs[:, 1]),
    )


def filter_of(allowed, bodies):
    """PairFilter of `bodies` (B,) ascending, numbered 0..B-1."""
    number = np.full(len(allowed.movable), -1, dtype=np.int64)
    number[bodies] = np.arange(len(bodies))
    first = np.repeat(np.arange(len(number)), np.diff(allowed.excluded_start))
    pairs = np.stack([number[first], number[allowed.excluded]], axis=1)
    pairs = pairs[(pairs >= 0).all(axis=1)]
    start = np.searchsorted(pairs[:, 0], np.arange(len(bodies) + 1))
    masks = (np.ascontiguousarray(mask[bodies]) for mask in allowed[:3])
    return PairFilter(*masks, start, np.ascontiguousarray(pairs[:, 1]))


def may_meet(allowed, a, b):
    """Whether bodies a and b of a PairFilter may collide, as `may_collide` of broad_kernels.py has it."""
    a, b = min(a, b), max(a, b)
    if a == b or not (allowed.movable[a] or allowed.movable[b]):
        return False
    layers = allowed.belongs[a] & allowed.collides[b] and allowed.belongs[b] & allowed.collides[a]
    return bool(layers) and b not in allowed.excluded[allowed.excluded_start[a] : allowed.excluded_start[a + 1]]


def layer_mask(layers):
    """Bit mask of layer numbers 1 to LAYERS; None is every layer. Raises ValueError for any other number."""
    if layers is None:
        return (1 << LAYERS) - 1
    mask = 0
    for layer in layers:
        if not isinstance(layer, Real) or isinstance(layer, bool) or not 1 <= layer <= LAYERS or layer % 1:
            raise ValueError(f"{layer!r} is no layer; give numbers from 1 to {LAYERS}")
        mask |= 1 << (int(layer) - 1)
    return mask
