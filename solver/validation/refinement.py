"""Comparisons of quantities that the scheme gives to first order in the step h."""

from .lines import below, close, within


def first_order(quantity, exact, values, tolerance):
    """Two lines for the values at the steps 4h, 2h and h: they converge as h does, and to the exact value.

    Halving the step halves the change, by a factor of 1.7 to 2.3 (terms of second order); Richardson's 2 v(h) - v(2h)
    is exact to `tolerance` (relative), which stands for terms of second order and for what the case names beside. Where
    both changes are within that tolerance there is nothing to converge: then that is what is compared.
    """
    coarse, middle, fine = values
    change = max(abs(coarse - middle), abs(middle - fine)) / abs(exact)
    if change < tolerance:
        first = below(f"{quantity}: changes from 4h to 2h to h, in parts of it", change, tolerance)
    else:
        ratio = (coarse - middle) / (middle - fine)
        first = within(f"{quantity}: change from 4h to 2h over change from 2h to h", 1.7, 2.3, ratio)
    return [
        first,
        close("  extrapolated to h = 0", exact, 2 * fine - middle, tolerance, relative=True),
    ]
