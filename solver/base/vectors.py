"""Small vectors as tuples, for the mesh kernels. A rotation is a tuple of three rows."""

import math

from ..jit import inner


@inner
def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inner
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inner
def scale(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


@inner
def along(a, b, s):
    """a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@inner
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inner
def norm(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inner
def row(table, i):
    return (table[i, 0], table[i, 1], table[i, 2])


@inner
def part(table, i, column):
    """Three numbers of row i, from a column on."""
    return (table[i, column], table[i, column + 1], table[i, column + 2])


@inner
def put(table, i, column, a):
    """Write three numbers into row i, from a column on."""
    table[i, column] = a[0]
    table[i, column + 1] = a[1]
    table[i, column + 2] = a[2]


@inner
def rotate(r, a):
    """Rows of r times a."""
    return (
        r[0][0] * a[0] + r[0][1] * a[1] + r[0][2] * a[2],
        r[1][0] * a[0] + r[1][1] * a[1] + r[1][2] * a[2],
        r[2][0] * a[0] + r[2][1] * a[1] + r[2][2] * a[2],
    )


@inner
def unrotate(r, a):
    """Columns of r times a: the inverse rotation."""
    return (
        r[0][0] * a[0] + r[1][0] * a[1] + r[2][0] * a[2],
        r[0][1] * a[0] + r[1][1] * a[1] + r[2][1] * a[2],
        r[0][2] * a[0] + r[1][2] * a[1] + r[2][2] * a[2],
    )


@inner
def quaternion_rows(q):
    """Rotation of the unit quaternion w, x, y, z."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


@inner
def relative_rotation(ra, rb):
    """Rows of ra^T rb: directions of b's axes seen in a's axes."""
    c0 = unrotate(ra, (rb[0][0], rb[1][0], rb[2][0]))
    c1 = unrotate(ra, (rb[0][1], rb[1][1], rb[2][1]))
    c2 = unrotate(ra, (rb[0][2], rb[1][2], rb[2][2]))
    return ((c0[0], c1[0], c2[0]), (c0[1], c1[1], c2[1]), (c0[2], c1[2], c2[2]))
