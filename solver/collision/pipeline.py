"""From shapes and poses to contacts: prepare once, then find_contacts every step."""

from typing import Any, NamedTuple

import numpy as np

from ..base.records import record
from ..base.threads import in_chunks
from .broadphase.broad import MANY, finite_boxes, overlapping_pairs, overlapping_parts
from .broadphase.broad_kernels import few_pairs
from .broadphase.colliders import Colliders, pack_colliders
from .broadphase.filters import PairFilter, pair_filter
from .broadphase.geometry import MESH, Geometry, build_geometry, most_corners
from .broadphase.placement_kernels import placed_boxes
from .contact_arrays import in_order, joined
from .contact_generators import DEFAULT
from .contacts import ContactSet, empty_contacts
from .convex.narrow_kernels import RELATIVE_MARGIN, narrow
from .tetrahedra.tetrahedra import tetrahedra_pool

MESH_CHUNK = 32


@record
class CollisionModel:
    """What find_contacts needs to know of the bodies: constant, so that threads may share one.

    meshes: MeshPool, None without meshes; inflation (C,) [m]: how far the colliders' boxes are moved out.
    generator: key of CONTACT_GENERATORS; tetrahedra: TetrahedraPool, None for the default generator.
    """

    geometry: Geometry
    colliders: Colliders
    meshes: Any
    allowed: PairFilter
    inflation: np.ndarray
    most_vertices: int
    most_edges: int
    most_corners: int
    generator: str = DEFAULT
    tetrahedra: Any = None

    @property
    def compound(self):
        """Whether there are more colliders than bodies."""
        return len(self.geometry.kind) > len(self.allowed.movable)


def prepare(shapes, centers, movable, belongs=None, collides=None, excluded=(), generator=DEFAULT, names=None):
    """Return the CollisionModel of R bodies.

    shapes: R shapes; centers (R,3) [m] centre of mass in the shape frame; movable (R,) bool: two bodies that
    cannot move never collide; belongs, collides (R,) masks of layers and excluded pairs of numbers: see PairFilter;
    generator: key of CONTACT_GENERATORS; names (R,): how a refusal calls the bodies. Raises SceneError for shapes that
    the generator cannot take: open meshes, for all but the default.
    """
    count = len(shapes)
    geometry, surfaces = build_geometry(shapes, np.asarray(centers, dtype=float).reshape(count, 3))
    movable = np.asarray(movable, dtype=bool).reshape(count)
    return CollisionModel(
        geometry=geometry,
        colliders=pack_colliders(geometry),
        meshes=_mesh_pool(surfaces),
        allowed=pair_filter(movable, belongs, collides, excluded),
        inflation=box_inflation(geometry, movable),
        most_vertices=int(np.diff(geometry.core_vertex_start).max(initial=0)),
        most_edges=int(geometry.core_edge_count.max(initial=0)),
        most_corners=most_corners(geometry),
        generator=generator,
        tetrahedra=None if generator == DEFAULT else tetrahedra_pool(geometry, shapes, names, generator),
    )


def _mesh_pool(surfaces):
    """MeshPool of the surfaces. Scenes without meshes do not even load its kernels."""
    if not surfaces:
        return None
    from .surface.mesh_pool import build_mesh_pool

    return build_mesh_pool(surfaces)


def find_contacts(
    collision, position, orientation, twist, h, margin=None, workers=1, memory=None, wanted=None, of_interest=None
):
    """Return the ContactSet of the bodies at the given poses.

    position (R,3) [m] centres of mass, orientation (R,4) w,x,y,z, twist (R,6) [m/s, rad/s]: v of the centre of
    mass and omega, world frame. Contacts are those that overlap, touch, or may touch within h [s] under this
    motion: gap < margin + h * closing speed. Fast pairs are met where they first touch, and turning pairs also where
    they touch at the end of the step; gap + h * normal velocity is then the gap at that time. margin [m]: None means
    1 % of the smaller collider's bounding radius. workers: threads, 0 for one a core; the answer has the same
    bits for any number. memory: a SearchMemory makes the next call quicker and never changes what is found.
    wanted(a, b): which (P,) bool of the pairs of bodies a, b (P,) whose boxes meet are searched, if one is
    of_interest (R,) bool; None: all. Such a search reads the memory and leaves it as it is. The generators of PROX know
    neither motion nor margin: they take the poses given.
    Raises NotFinite for poses that are not finite.
    """
    geometry, count = collision.geometry, len(collision.geometry.kind)
    if count == 0:
        return empty_contacts()
    if collision.tetrahedra is not None:
        margin = collision.tetrahedra.reach
    inflation = collision.inflation if margin is None else np.full(count, 0.5 * float(margin))
    allowed = collision.allowed if of_interest is None else collision.allowed._replace(movable=of_interest)
    position, orientation, twist = (np.ascontiguousarray(a, dtype=float) for a in (position, orientation, twist))
    place, pairs = pairs_that_meet(collision, position, orientation, twist, float(h), inflation, allowed, memory)
    if wanted is not None:
        pairs = pairs_wanted(geometry.body, pairs, wanted)
    if collision.tetrahedra is not None:
        return in_order(contacts_by_tetrahedra(collision, place.frame, pairs, workers))
    step = Step(place, orientation, float(h), -1.0 if margin is None else float(margin), workers)
    if collision.meshes is None:
        found = convex_contacts(collision, step, pairs)
    else:
        with_mesh = (geometry.kind[pairs] == MESH).any(axis=1)
        convex = convex_contacts(collision, step, pairs[~with_mesh])
        found = joined([convex, mesh_contacts(collision, step, pairs[with_mesh], memory, wanted is None)])
    # Keys ascend within a pair of colliders only.
    return in_order(found) if collision.meshes is not None or collision.compound else ContactSet(*found)


def pairs_that_meet(collision, position, orientation, twist, h, inflation, allowed, memory=None):
    """(Placement, pairs (P,2) of colliders whose boxes, moved out by inflation (C,) [m], overlap within h seconds), see
    boxes_that_meet."""
    geometry = collision.geometry
    if len(geometry.kind) < MANY and not collision.compound:
        place, pairs, lost = few_pairs(geometry, position, orientation, twist, h, inflation, allowed)
        return place, finite_boxes(pairs, lost, geometry.body)
    place, low, high = placed_boxes(geometry, position, orientation, twist, h, inflation)
    return place, boxes_that_meet(collision, low, high, allowed, memory)


def boxes_that_meet(collision, low, high, allowed, memory=None):
    """Pairs (P,2) of colliders whose boxes overlap; low, high (C,3) [m]: their corners; allowed: PairFilter; memory: a
    SearchMemory makes it quicker."""
    search = overlapping_parts if collision.compound else overlapping_pairs
    near = None if memory is None else memory.near_boxes(collision)
    return search(low, high, collision.geometry.body, allowed, near)


def pairs_wanted(body, pairs, wanted):
    """The pairs (P,2) of colliders whose bodies are wanted; each pair of bodies, whose pairs come together, is asked
    for once."""
    names = body[pairs].astype(np.int64)
    first = np.ones(len(pairs), dtype=bool)
    first[1:] = (names[1:] != names[:-1]).any(axis=1)
    return pairs[wanted(*names[first].T)[np.cumsum(first) - 1]]


class Step(NamedTuple):
    """One call's poses, step [s], margin [m] (below zero: relative) and number of threads."""

    place: Any
    orientation: np.ndarray
    h: float
    margin: float
    workers: int


def box_inflation(geometry, movable):
    """How far (C,) [m] each collider's box is moved out so that boxes of a pair overlap if its gap is in the margin.

    Every pair has a movable body, so no box needs more than the largest movable one asks for.
    """
    half = 0.5 * RELATIVE_MARGIN * geometry.extent
    return np.minimum(half, half[movable[geometry.body]].max(initial=0.0))


def convex_contacts(collision, step, pairs):
    """Contacts of collider pairs without a mesh."""
    sizes = collision.most_vertices, collision.most_edges, collision.most_corners

    def chunk(first, last):
        return narrow(collision.colliders, step.place, pairs, first, last, step.h, step.margin, sizes)

    # Pairs a chunk: fixed, so that the number of threads cannot change the answer.
    return joined(in_chunks(chunk, len(pairs), 2048, step.workers))


def mesh_contacts(collision, step, pairs, memory=None, keep=True):
    """Contacts of collider pairs with a mesh; memory: SearchMemory or None, brought up to date if `keep`."""
    from .mesh.mesh_contacts import contacts_of_pairs

    return contacts_of_pairs(collision, step, pairs, memory, keep)


def contacts_by_tetrahedra(collision, frame, pairs, workers):
    """Contacts of all collider pairs by another generator than the default."""
    from .tetrahedra.tet_contacts import tetrahedra_contacts

    def chunk(first, last):
        return tetrahedra_contacts(collision, frame, pairs, first, last)

    return joined(in_chunks(chunk, len(pairs), MESH_CHUNK, workers))
