"""Rotations and rigid frames in numpy, double precision. Quaternions are w, x, y, z."""

import numpy as np


def significant(values, digits=7):
    """Round to `digits` significant digits: what a single-precision float carries, so that the numbers read
    from Blender are the ones its user typed (0.1, not 0.10000000149)."""
    array = np.asarray(values, dtype=float)
    if array.ndim == 0:
        return float(f"{array:.{digits}g}")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shift = digits - 1 - np.floor(np.log10(np.abs(array)))
        # Powers of ten are exact only upward, so one side of the point multiplies and the other divides.
        up, down = 10.0 ** np.minimum(np.maximum((shift, -shift), 0), 300)
        rounded = np.round(array * up / down) / up * down
    return np.where(np.isfinite(shift), rounded, array)


def matrix_of_quaternion(q):
    """Rotation matrices (...,3,3) of unit quaternions (...,4)."""
    q = np.asarray(q, dtype=float)
    # Of one quaternion plain numbers are faster.
    w, x, y, z = q.tolist() if q.ndim == 1 else (q[..., i] for i in range(4))
    r = np.empty((*q.shape[:-1], 3, 3))
    r[..., 0, 0], r[..., 0, 1], r[..., 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    r[..., 1, 0], r[..., 1, 1], r[..., 1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    r[..., 2, 0], r[..., 2, 1], r[..., 2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)
    return r


def quaternion_of_matrix(rotation):
    """Unit quaternions (...,4) of rotation matrices (...,3,3), by the largest of the four components."""
    r = np.asarray(rotation, dtype=float)
    flat = r.reshape(*r.shape[:-2], 9)
    xx, xy, xz, yx, yy, yz, zx, zy, zz = flat.tolist() if r.ndim == 2 else np.moveaxis(flat, -1, 0)
    a, b, c, d, e, f = zy - yz, xz - zx, yx - xy, yx + xy, xz + zx, zy + yz
    # Row i is proportional to q; its own component is 4 q_i^2, so the row with the largest one is the safe one.
    rows = np.empty((*r.shape[:-2], 4, 4))
    rows[..., 0, 0], rows[..., 1, 1] = 1 + xx + yy + zz, 1 + xx - yy - zz
    rows[..., 2, 2], rows[..., 3, 3] = 1 - xx + yy - zz, 1 - xx - yy + zz
    rows[..., 0, 1] = rows[..., 1, 0] = a
    rows[..., 0, 2] = rows[..., 2, 0] = b
    rows[..., 0, 3] = rows[..., 3, 0] = c
    rows[..., 1, 2] = rows[..., 2, 1] = d
    rows[..., 1, 3] = rows[..., 3, 1] = e
    rows[..., 2, 3] = rows[..., 3, 2] = f
    best = np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), axis=-1)
    q = rows.reshape(-1, 4, 4)[np.arange(best.size), best.ravel()].reshape(*best.shape, 4)
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def multiply(p, q):
    """Quaternion products p q (...,4)."""
    pw, px, py, pz = np.moveaxis(np.asarray(p, dtype=float), -1, 0)
    qw, qx, qy, qz = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
    return np.stack(
        [
            pw * qw - px * qx - py * qy - pz * qz,
            pw * qx + px * qw + py * qz - pz * qy,
            pw * qy - px * qz + py * qw + pz * qx,
            pw * qz + px * qy - py * qx + pz * qw,
        ],
        axis=-1,
    )


def conjugate(q):
    """Inverse of unit quaternions (...,4)."""
    return np.asarray(q, dtype=float) * np.array([1.0, -1.0, -1.0, -1.0])


def continuous(q):
    """Quaternions (F,...,4) with signs such that neighbours along the first axis are on the same side: what lies
    between frames then turns the short way."""
    q = np.array(q, dtype=float)
    flips = np.where(np.einsum("f...i,f...i->f...", q[1:], q[:-1]) < 0, -1.0, 1.0)
    q[1:] *= np.cumprod(flips, axis=0)[..., None]
    return q


def turned(q, vector):
    """Vectors (...,3) turned by unit quaternions (...,4): cheaper than by matrices."""
    w, x, y, z = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
    a, b, c = np.moveaxis(np.asarray(vector, dtype=float), -1, 0)
    # Twice the axis across the vector; numpy's own cross product takes thrice as long.
    d, e, f = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return np.stack([a + w * d + y * f - z * e, b + w * e + z * d - x * f, c + w * f + x * e - y * d], axis=-1)


def across(a, b):
    """Cross products (...,3) of vectors (...,3), in a third of the time of numpy's own."""
    found = np.empty(a.shape)
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        found[..., i] = a[..., j] * b[..., k] - a[..., k] * b[..., j]
    return found


def axis_angle(q):
    """Angle and axis (F,4) of sign-continuous quaternions (F,4); the axis of a zero rotation is the neighbour's."""
    sine = np.linalg.norm(q[:, 1:], axis=1)
    angle = 2 * np.arctan2(sine, q[:, 0])
    axis = np.tile([0.0, 0.0, 1.0], (len(q), 1))
    turning = np.flatnonzero(sine > 1e-9)
    if turning.size:
        nearest = turning[np.minimum(np.searchsorted(turning, np.arange(len(q))), turning.size - 1)]
        axis = q[nearest, 1:] / sine[nearest, None]
    return np.concatenate([angle[:, None], axis], axis=1)


def closest_rotation(linear):
    """Proper rotations (...,3,3) closest to the given matrices (polar decomposition)."""
    u, _, vt = np.linalg.svd(linear)
    negative = np.linalg.det(u @ vt) < 0
    u[..., :, 2] = np.where(negative[..., None], -u[..., :, 2], u[..., :, 2])
    return u @ vt


def split_scale(linear, signs=(1.0, 1.0, 1.0)):
    """Split matrices (...,3,3) = rotation @ diag(scale), columns of sign `signs`.

    Returns rotation, scale (...,3) and the shear (...): largest cosine between two columns, 0 if they are
    perpendicular. A matrix with shear has no such split; the closest rotation is returned.
    """
    linear = np.asarray(linear, dtype=float)
    scale = np.linalg.norm(linear, axis=-2) * np.asarray(signs, dtype=float)
    columns = linear / scale[..., None, :]
    gram = np.swapaxes(columns, -1, -2) @ columns
    shear = np.abs(gram - np.eye(3)).max(axis=(-1, -2))
    return closest_rotation(columns), scale, shear


def pose_matrix(position, orientation):
    """Rigid 4x4 matrices (...,4,4) of positions (...,3) and quaternions (...,4)."""
    position = np.asarray(position, dtype=float)
    matrix = np.zeros((*position.shape[:-1], 4, 4))
    matrix[..., :3, :3] = matrix_of_quaternion(orientation)
    matrix[..., :3, 3] = position
    matrix[..., 3, 3] = 1.0
    return matrix


def rigid_inverse(position, orientation):
    """Inverse (4,4) of one rigid matrix, of a position (3,) and a quaternion (4,)."""
    back = matrix_of_quaternion(orientation).T
    inverse = np.eye(4)
    inverse[:3, :3], inverse[:3, 3] = back, -back @ position
    return inverse


def affine_inverse(matrix):
    """Inverses of 4x4 matrices (...,4,4) with last row 0, 0, 0, 1.

    By cross products: LAPACK's threads make a single small inverse take milliseconds on a busy machine.
    """
    matrix = np.asarray(matrix, dtype=float)
    a, b, c = (matrix[..., row, :3] for row in range(3))
    beside = across(b, c)
    columns = np.stack([beside, across(c, a), across(a, b)], axis=-1)
    columns /= np.einsum("...i,...i->...", a, beside)[..., None, None]
    inverse = np.zeros_like(matrix)
    inverse[..., :3, :3] = columns
    inverse[..., :3, 3] = -np.einsum("...ij,...j->...i", columns, matrix[..., :3, 3])
    inverse[..., 3, 3] = 1.0
    return inverse
