"""From the reduction of a scene's deformable body to its ReducedShape: everything that can be wrong with it is said
here."""

import numpy as np

from ...base import kept
from ...base.refusal import SceneError, finite, vector
from ...kernels.sources import source_hash
from .basis import FreeBody, OutOfReach, shape_vectors
from .dents import Dents
from .laws import CubicLaw, LinearLaw, gram_of
from .shape import ReducedShape


def check_reduction(who, elastic):
    """Refuse what no reduced body can have."""
    reduction = elastic.reduction
    for label, least in (("modes", 1), ("derivatives", 0)):
        value = getattr(reduction, label)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise SceneError(f"{who}: reduction has {value!r} {label}; give a whole number of at least {least}")
    # Linear in strain in a frame that turns, as modes of small vibrations are, or a polynomial in them.
    if elastic.law not in ("corotational", "stvk"):
        raise SceneError(f"{who}: has a reduction, and its law is {elastic.law!r}; choose the law 'corotational', for "
                         "modes of small strain, or 'stvk' for large bends, or remove the reduction")  # fmt: skip
    if (elastic.law == "stvk") != (reduction.derivatives != 0):
        raise SceneError(f"{who}: reduction has {reduction.derivatives} derivatives, and the law is {elastic.law!r}; "
                         "modes lock in large bends without some, as 'stvk' has them, and the law 'corotational' knows "
                         "none: give 10 and 'stvk', or 0 and 'corotational'")  # fmt: skip
    if reduction.dents and elastic.law == "stvk":
        raise SceneError(f"{who}: reduction has dents, and the law is 'stvk'; dents are linear in their forces, and "
                         "soft bodies that bend far would gain energy by them: give dents false, or the law "
                         "'corotational'")  # fmt: skip
    for has, what in ((elastic.pins or elastic.pin_points, "pins"), (elastic.goals, "goals"),
                      (np.any(elastic.pressure), "a pressure"), (elastic.inflated, "inflated boxes"),
                      (elastic.self_contact, "self_contact")):  # fmt: skip
        if has:
            raise SceneError(f"{who}: has a reduction and {what}; modes are those of a free body that does not touch "
                             "itself, remove one of them")  # fmt: skip
    if not finite(reduction.error) or not 0.0 < reduction.error <= 1.0:
        raise SceneError(f"{who}: reduction has an error of {reduction.error}; give the part of its way under a load "
                         "that may be missing, above 0, or 1 for whatever the modes leave out")  # fmt: skip
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
