"""One comparison of a measured quantity with its exact value, and the usual ways to make one."""

from dataclasses import replace

import numpy as np

from ..base.records import record


@record
class Line:
    """One comparison. exact and measured are numbers or words; tolerance is text with its unit.

    demanded: a figure that was asked for and is known not to hold yet; while it does not it stands among the shortfalls
    and fails nothing else. why: the bound or the cause that stands in its way.
    """

    quantity: str
    exact: object
    measured: object
    tolerance: str
    passed: bool
    demanded: bool = False
    why: str = ""


def close(quantity, exact, measured, tolerance, unit="", relative=False):
    """|measured - exact| <= tolerance, absolute or relative to |exact|."""
    exact, measured = float(exact), float(measured)
    bound = tolerance * abs(exact) if relative else tolerance
    text = f"{tolerance * 100:g} %" if relative else f"{tolerance:g} {unit}".strip()
    return Line(quantity, exact, measured, text, bool(abs(measured - exact) <= bound))


def below(quantity, measured, limit, unit=""):
    """measured < limit; the exact value is 0."""
    measured = float(measured)
    return Line(quantity, 0.0, measured, f"< {limit:g} {unit}".strip(), bool(measured < limit))


def within(quantity, low, high, measured, unit=""):
    """low <= measured <= high."""
    measured = float(measured)
    return Line(
        quantity, f"{low:.6g} .. {high:.6g}", measured, f"in range {unit}".strip(), bool(low <= measured <= high)
    )


def word(quantity, wanted, measured, rule=""):
    """Two words must agree, such as "stands" and "falls"."""
    return Line(quantity, wanted, measured, rule, wanted == measured)


def demanded(line, why):
    """The line as a figure that was asked for and does not hold, with the cause."""
    return replace(line, demanded=True, why=why)


def largest(values):
    """Largest absolute value of an array."""
    return float(np.max(np.abs(values), initial=0.0))
