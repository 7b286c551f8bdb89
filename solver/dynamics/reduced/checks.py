"""What is wrong with a reduction whatever the tetrahedra of its body: said before there are any."""

import numpy as np

from ...base.refusal import SceneError, finite


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
            raise SceneError(f"{who}: has a reduction (Modes) and {what}; modes are those of a free body that does not "
                             "touch itself, remove one of them")  # fmt: skip
    for label in ("spin", "dents"):
        if not isinstance(getattr(reduction, label), bool):
            raise SceneError(f"{who}: reduction has {label} {getattr(reduction, label)!r}; give true or false")
    if not finite(reduction.error) or not 0.0 < reduction.error <= 1.0:
        raise SceneError(f"{who}: reduction has an error of {reduction.error}; give the part of its way under a load "
                         "that may be missing, above 0, or 1 for whatever the modes leave out")  # fmt: skip
    if not finite(reduction.damping_ratio) or reduction.damping_ratio < 0.0:
        raise SceneError(f"{who}: damping_ratio is {reduction.damping_ratio}; give a value of at least 0, 1 for "
                         "critical damping")  # fmt: skip
