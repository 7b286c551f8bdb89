"""Contacts of the pairs with a triangle mesh, and what is remembered of them from one search to the next."""

import numpy as np

from ...base.threads import concurrently, core_count, in_chunks
from ..contact_arrays import growing, joined
from .mesh_memory_kernels import COLUMNS, Remembered, find_pairs
from .mesh_pair_kernels import mesh_chunk

# Pairs are dealt out in this many chunks a thread, none smaller than that: enough to share. Each pair has the same
# contacts in any chunk.
CHUNKS, LEAST_CHUNK = 4, 32


def contacts_of_pairs(collision, step, pairs, memory=None, keep=True):
    """Contacts of collider pairs with a mesh; a SearchMemory is read and, if `keep`, brought up to date."""
    body = collision.geometry.body
    old, known = nothing_remembered(), np.empty(0, np.int64)
    if memory is not None:
        earlier, old = memory.of(collision)
        known = find_pairs(pairs, earlier, body)

    def chunk(first, last):
        def run(raw, out):
            return mesh_chunk(
                collision.meshes, collision.colliders, step.place, step.orientation, pairs, first, last, step.h,
                step.margin, old, known, keep, raw, out,
            )  # fmt: skip

        # Room for surfaces that lie in each other and touch with hundreds of features: with less all is searched twice.
        return growing(run, 1024, 64 * max(last - first, 64))

    chunks = CHUNKS * (step.workers or core_count())
    parts = in_chunks(chunk, len(pairs), max(LEAST_CHUNK, -(-len(pairs) // chunks)), step.workers)
    if memory is not None and keep:
        room = memory.room()
        # What one chunk leaves is joined sooner than a thread begins.
        workers = step.workers if len(parts) > 1 else 1
        kept = concurrently(lambda: joined_memory([rest[0] for _, rest in parts], room), workers)
        memory.keep(collision, pairs, kept)
    return joined([contacts for contacts, _ in parts])


def nothing_remembered():
    """Remembered of no pairs."""
    return Remembered(np.empty((0, COLUMNS)), np.zeros(1, np.int64), np.empty((0, 3), np.int32))


def joined_memory(parts, room):
    """Remembered of several runs of pairs, in order; room: of whose arrays it takes the place where they are large
    enough."""
    if not parts:
        return nothing_remembered()
    offsets = np.cumsum([0] + [len(part.nodes) for part in parts])
    starts = [part.start[:-1] + offset for part, offset in zip(parts, offsets, strict=False)]
    return Remembered(
        _stacked([part.pose for part in parts], room.pose),
        np.concatenate([*starts, offsets[-1:]]),
        _stacked([part.nodes for part in parts], room.nodes),
    )


def _stacked(tables, room):
    """The rows of all tables in `room`, or in a new array: fresh memory of that size takes longer than to fill it."""
    count = sum(len(table) for table in tables)
    whole = room.base if isinstance(room.base, np.ndarray) else room
    if len(whole) < count:
        whole = np.empty((count + count // 4, *room.shape[1:]), room.dtype)
    return np.concatenate(tables, out=whole[:count])
