"""Which elements of a deformable body are pressed further than its law or its mesh can be right."""

from typing import NamedTuple

import numpy as np

from ....laws.elastic_laws import THIN
from .. import element_kernels as kernels


class Squeezed(NamedTuple):
    """Elements of a body: inside out somewhere, else below THIN of their volume, else past their law's limit point."""

    inside_out: int
    thin: int
    past: int


def squeezed(body, x):
    """Squeezed elements of a Deformable with nodes at x (n,3): at its points, of quadratic ones in the corners, too,
    which may fold while no point does."""
    least, past = np.full(len(body.mu), np.inf), np.zeros(len(body.mu), dtype=bool)
    x = np.ascontiguousarray(x)
    for gradient in (body.gradient, body.corner_gradient):
        kernels.least_volumes(body.law, x, body.tables._replace(gradient=gradient), body.limit, least, past)
    out, thin = least <= 0.0, least < THIN
    return Squeezed(int(out.sum()), int((thin & ~out).sum()), int((past & ~thin).sum()))
