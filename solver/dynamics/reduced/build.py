"""From the reduction of a scene's deformable body to its ReducedShape: everything that can be wrong with it is said
here."""

import numpy as np

from ...base.refusal import SceneError, finite, vector
from .basis import shape_vectors
from .shape import ReducedShape


def check_reduction(who, elastic):
    """Refuse what no reduced body can have."""
    reduction = elastic.reduction
    # It turns with the body and is linear in strain: what modes of small vibrations are.
    if elastic.law != "corotational":
        raise SceneError(f"{who}: has a reduction, and its law is {elastic.law!r}; modes are those of small strain in "
                         f"a frame that turns, choose the law 'corotational', or remove the reduction")  # fmt: skip
    for has, what in ((elastic.pins or elastic.pin_points, "pins"), (elastic.goals, "goals"),
                      (np.any(elastic.pressure), "a pressure"), (elastic.inflated, "inflated boxes"),
                      (elastic.self_contact, "self_contact")):  # fmt: skip
        if has:
            raise SceneError(f"{who}: has a reduction and {what}; modes are those of a free body that does not touch "
                             "itself, remove one of them")  # fmt: skip
    modes = reduction.modes
    if isinstance(modes, bool) or not isinstance(modes, int) or modes < 1:
        raise SceneError(f"{who}: reduction has {modes!r} modes; give a whole number of at least 1")
    if not finite(reduction.damping_ratio) or reduction.damping_ratio < 0.0:
        raise SceneError(f"{who}: damping_ratio is {reduction.damping_ratio}; give a value of at least 0, 1 for "
                         "critical damping")  # fmt: skip


def reduced_shape(who, elastic, made):
    """The ReducedShape of a Deformable with the reduction of an Elastic. Raises SceneError."""
    reduction = elastic.reduction
    pieces = int(made.component.max()) + 1
    if pieces > 1:
        raise SceneError(f"{who}: is {pieces} loose pieces, and modes are those of one; make each a body of its own, "
                         "or remove the reduction")  # fmt: skip
    patches = [_patch(who, number, box, made) for number, box in enumerate(reduction.attachments)]
    vectors = reduction.modes + 6 * bool(reduction.spin) + 3 * len(patches)
    # Lanczos' method wants fewer than there are, and half of all vectors are faster as a whole mesh.
    most = (3 * made.node_count - 6) // 2
    if vectors > most:
        raise SceneError(f"{who}: reduction asks for {vectors} shape vectors of {made.node_count} nodes; give fewer "
                         f"modes, for at most {most} vectors, or remove the reduction")  # fmt: skip
    squares, U = shape_vectors(made, reduction.modes, bool(reduction.spin), patches)
    alpha, beta = made.damping
    damping = alpha + beta * squares + 2.0 * reduction.damping_ratio * np.sqrt(squares)
    center = made.mass @ made.rest / made.mass.sum()
    return ReducedShape(made.mass, made.rest - center, U, squares, damping)


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
