"""Comparisons of quantities that the scheme gives to first order in the step h."""

from .lines import close, within


def first_order(quantity, exact, values, tolerance):
    """Two lines for the values at the steps 4h, 2h and h: they converge as h does, and to the exact value.

    Halving the step halves the change, by a factor of 1.7 to 2.3 (terms of second order); Richardson's 2 v(h) - v(2h)
    is exact to `tolerance` (relative), which stands for terms of second order and for what the case names beside.
    """
    coarse, middle, fine = values
    ratio = (coarse - middle) / (middle - fine)
    return [
        within(f"{quantity}: change from 4h to 2h over change from 2h to h", 1.7, 2.3, ratio),
        close("  extrapolated to h = 0", exact, 2 * fine - middle, tolerance, relative=True),
    ]
