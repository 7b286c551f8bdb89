"""From the reduction of a scene's deformable body to its ReducedShape: everything that its tetrahedra can make wrong
with it is said here, the rest in checks.py."""

import numpy as np

from ...base import kept
from ...base.refusal import SceneError, vector
from ...kernels.sources import source_hash
from .basis import FreeBody, OutOfReach, shape_vectors
from .dents import Dents
from .laws import CubicLaw, LinearLaw, gram_of
from .shape import ReducedShape


def reduced_shape(who, elastic, made):
    """The ReducedShape of a Deformable with the reduction of an Elastic. Raises SceneError."""
    reduction = elastic.reduction
    pieces = int(made.component.max()) + 1
    if pieces > 1:
        raise SceneError(f"{who}: is {pieces} loose pieces, and modes are those of one; make each a body of its own, "
                         "or remove the reduction")  # fmt: skip
    patches = [_patch(who, number, box, made) for number, box in enumerate(reduction.attachments)]
    vectors = reduction.modes + reduction.derivatives + 6 * bool(reduction.spin) + 3 * len(patches)
    # Lanczos' method wants fewer than there are, and half of all vectors are faster as a whole mesh.
    most = (3 * made.node_count - 6) // 2
    if vectors > most:
        raise SceneError(f"{who}: reduction asks for {vectors} shape vectors of {made.node_count} nodes; give fewer "
                         f"modes, for at most {most} vectors, or remove the reduction")  # fmt: skip
    if elastic.law == "stvk" and vectors > 48:
        raise SceneError(f"{who}: reduction asks for {vectors} shape vectors, and the law 'stvk' is for at most 48, as "
                         "its step costs their fourth power; give fewer modes or derivatives")  # fmt: skip
    most = min(most, 48) if elastic.law == "stvk" else most
    try:
        squares, U = shape_vectors(made, reduction.modes, bool(reduction.spin), patches, reduction.derivatives,
                                   reduction.error, most)  # fmt: skip
    except OutOfReach as fault:
        raise SceneError(f"{who}: reduction has an error of {reduction.error}, and {most} shape vectors, the most for "
                         f"its {made.node_count} nodes and the law {elastic.law!r}, leave {fault.args[0]:.2g}; give "
                         "an error of at least that, fewer derivatives, or smaller elements") from None  # fmt: skip
    alpha, beta = made.damping
    damping = alpha + beta * squares + 2.0 * reduction.damping_ratio * np.sqrt(squares)
    center = made.mass @ made.rest / made.mass.sum()
    law = LinearLaw(squares)
    if elastic.law == "stvk":
        given = source_hash(__file__), made.rest, made.elements, made.lam, made.mu, U
        law = CubicLaw(kept.found("strains", given, lambda: {"gram": gram_of(made, U)})["gram"], len(squares))
    dents = Dents(FreeBody(made), squares, U) if reduction.dents else None
    return ReducedShape(made.mass, made.rest - center, U, law, damping, dents)


def _patch(who, number, box, made):
    """Nodes (k,) of the surface in a box."""
    label = f"attachment {number} of the reduction"
    if len(box) != 2:
        raise SceneError(f"{who}: {label} is {box}; give a box of two corners")
    low, high = (vector(who, f"corner of {label}", corner, 3, "m") for corner in box)
    if np.any(low > high):
        raise SceneError(f"{who}: {label} has its corners the wrong way round; give the lowest first")
    at = made.rest[made.surface_nodes]
    nodes = made.surface_nodes[np.all((at >= low) & (at <= high), axis=1)]
    if len(nodes) == 0:
        raise SceneError(f"{who}: {label} holds no node of the surface; move or enlarge its box")
    return nodes
