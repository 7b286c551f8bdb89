"""Points at which a study runs: {parameter: value}, in an order that depends on the study alone."""

import itertools
import math

from scipy.stats import qmc


def points_of(parameters, sampling):
    """List of {name: value} for a tuple of Parameters."""
    names = [parameter.name for parameter in parameters]
    if sampling.kind == "list":
        return [{name: point[name] for name in names} for point in sampling.points]
    if not parameters:
        return [{}]
    if sampling.kind == "grid":
        rows = itertools.product(*(parameter.values for parameter in parameters))
        return [dict(zip(names, row, strict=True)) for row in rows]
    unit = _unit(len(parameters), sampling)
    return [
        {parameter.name: _scaled(parameter, float(u)) for parameter, u in zip(parameters, row, strict=True)}
        for row in unit
    ]


def _unit(dimensions, sampling):
    """Points (N,P) in the unit cube."""
    if sampling.kind == "latin_hypercube":
        return qmc.LatinHypercube(dimensions, seed=sampling.seed).random(sampling.count)
    # The balance of a Sobol sequence holds for powers of two; its first points are used as they come.
    power = max(0, math.ceil(math.log2(sampling.count)))
    return qmc.Sobol(dimensions, scramble=True, seed=sampling.seed).random_base2(power)[: sampling.count]


def _scaled(parameter, u):
    """The value of a parameter at u in [0, 1)."""
    if parameter.values:
        return parameter.values[min(int(u * len(parameter.values)), len(parameter.values) - 1)]
    if parameter.logarithmic:
        return parameter.low * (parameter.high / parameter.low) ** u
    return parameter.low + u * (parameter.high - parameter.low)
