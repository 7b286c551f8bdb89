"""Points at which a study runs: {parameter: value}, in an order that depends on the study alone."""

import itertools
import math

import numpy as np

# Sobol's direction numbers of Joe and Kuo ("Constructing Sobol sequences with better two-dimensional projections", SIAM
# J. Sci. Comput. 30, 2008, their search criterion D6): primitive polynomial of each dimension after the first, all
# coefficients as bits, and the initial odd numbers m. Here and not from scipy.stats, which would bring a third of scipy
# into the extension's zip for these lines.
POLYNOMIALS = (3, 7, 11, 13, 19, 25, 37, 41, 47, 55, 59, 61, 67, 91, 97, 103, 109, 115, 131, 137)
INITIAL = (
    (1,), (1, 3), (1, 3, 1), (1, 1, 1), (1, 1, 3, 3), (1, 3, 5, 13), (1, 1, 5, 5, 17), (1, 1, 5, 5, 5),
    (1, 1, 7, 11, 19), (1, 1, 5, 1, 1), (1, 1, 1, 3, 11), (1, 3, 5, 5, 31), (1, 3, 3, 9, 7, 49), (1, 1, 1, 15, 21, 21),
    (1, 3, 1, 13, 27, 49), (1, 1, 1, 15, 7, 5), (1, 3, 1, 15, 13, 25), (1, 1, 5, 5, 19, 61), (1, 3, 7, 11, 23, 15, 103),
    (1, 3, 7, 13, 13, 15, 69),
)  # fmt: skip
MOST_DIMENSIONS = len(POLYNOMIALS) + 1
BITS = 30


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


def points_counted(parameters, sampling):
    """How many points points_of gives."""
    if sampling.kind == "list":
        return len(sampling.points)
    if not parameters:
        return 1
    return math.prod(len(entry.values) for entry in parameters) if sampling.kind == "grid" else sampling.count


def _unit(dimensions, sampling):
    """Points (N,P) in the unit cube."""
    random = np.random.default_rng(sampling.seed)
    if sampling.kind == "latin_hypercube":
        cells = np.stack([random.permutation(sampling.count) for _ in range(dimensions)], axis=1)
        return (cells + random.random(cells.shape)) / sampling.count
    # The balance of a Sobol sequence holds for powers of two; its first points are used as they come.
    power = max(0, math.ceil(math.log2(sampling.count)))
    return scrambled(direction_numbers(dimensions), power, random)[: sampling.count]


def direction_numbers(dimensions):
    """Direction numbers v (P,BITS) of Sobol's sequence, integers of BITS bits, for up to MOST_DIMENSIONS."""
    found = [[1 << (BITS - 1 - k) for k in range(BITS)]]
    for polynomial, initial in zip(POLYNOMIALS[: dimensions - 1], INITIAL, strict=False):
        degree, m = len(initial), list(initial)
        for k in range(degree, BITS):
            # Joe and Kuo, equation (2): the coefficients of the polynomial without its first and its last.
            new = m[k - degree] ^ (m[k - degree] << degree)
            for j in range(1, degree):
                new ^= (polynomial >> (degree - j) & 1) * (m[k - j] << j)
            m.append(new)
        found.append([m[k] << (BITS - 1 - k) for k in range(BITS)])
    return np.array(found, dtype=np.int64)


def scrambled(directions, power, random):
    """The first 2^power points (N,P) of the sequence, scrambled by random lower triangular matrices and shifts
    (Matousek, J. Complexity 14, 1998): as well spread, no point at the origin, and another set for another seed."""
    matrices = _triangular(random, len(directions))
    rows = zip(matrices, directions, strict=True)
    directions = np.array([[_through(matrix, v) for v in row] for matrix, row in rows])
    points = np.empty((1 << power, len(directions)), dtype=np.int64)
    points[0] = random.integers(1 << BITS, size=len(directions))
    for i in range(1, len(points)):
        # Gray code: neighbours differ by one direction (Antonov and Saleev 1979).
        lowest = (i & -i).bit_length() - 1
        points[i] = points[i - 1] ^ directions[:, lowest]
    return (points + 0.5) / (1 << BITS)


def _triangular(random, count):
    """Random unit lower triangular matrices of bits, rows as integers (P,BITS), the first row the highest bit."""
    rows = np.arange(BITS)
    above = ((1 << rows) - 1) << (BITS - rows)
    return (random.integers(1 << BITS, size=(count, BITS)) & above) | (1 << (BITS - 1 - rows))


def _through(matrix, value):
    """A matrix of bits times the bits of an integer."""
    bits = [int(row & value).bit_count() & 1 for row in matrix]
    return sum(bit << (BITS - 1 - k) for k, bit in enumerate(bits))


def _scaled(parameter, u):
    """The value of a parameter at u in [0, 1)."""
    if parameter.values:
        return parameter.values[min(int(u * len(parameter.values)), len(parameter.values) - 1)]
    if parameter.logarithmic:
        return parameter.low * (parameter.high / parameter.low) ** u
    return parameter.low + u * (parameter.high - parameter.low)
