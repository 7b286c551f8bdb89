"""Whether impulses that Coulomb's law admits could have made what bodies did, where none are recorded.

Of a step the impulses b (R,6) that bodies must have got follow from their momenta. Contacts, by a search of its own,
may give G x with x in cones, joints any multiple of what they hold. The least |b - G x| in the norm of kinetic energy
is a convex problem; what is left of b there is what no admissible impulse explains.
"""

import numpy as np

from .joints import places
from .mechanics import across

# Part of b to which the least is found; steps of the method at most, and between looks at what is left.
EXACT, MOST, LOOK = 1e-4, 20000, 20


def directions(point, normal, position, bodies):
    """What unit impulses along n, s, t at points (C,3) do to bodies (C,2) at positions (R,3): (C,6R,3)."""
    helper = np.eye(3)[np.argmin(np.abs(normal), axis=1)]
    s = np.cross(normal, helper)
    s /= np.linalg.norm(s, axis=1, keepdims=True)
    axes, count = np.stack([normal, s, np.cross(normal, s)], axis=2), len(position)
    out, every = np.zeros((len(point), count, 6, 3)), np.arange(len(point))
    for side, sign in ((0, -1.0), (1, 1.0)):
        arm = point - position[bodies[:, side]]
        out[every, bodies[:, side]] = sign * np.concatenate([axes, across(arm) @ axes], axis=1)
    return out.reshape(len(point), 6 * count, 3)


def of_joint(joint, held, position, orientation):
    """What a joint gives bodies (6R,k): forces along the lengths that it holds, moments about the angles."""
    lengths, turns = held
    (_, (place,)), ((axes,), (others,)) = places(joint, position[None], orientation[None])
    # The axes about which turns change what is held, those of ALIKE, ALIGNED and SQUARE.
    about = np.array([*axes.T, *(np.cross(axes[:, i], others[:, k]) for i, k in ((0, 2), (1, 2), (0, 1)))])
    force, moment, out = axes[:, lengths], about[turns].T, np.zeros((len(position), 6, len(lengths) + len(turns)))
    for end, sign in zip(joint["ends"], (-1.0, 1.0), strict=True):
        if end >= 0:
            out[end] = sign * np.block([[force, 0 * moment], [across(place - position[end]) @ force, moment]])
    return out.reshape(6 * len(position), -1)


def onto_cones(x, slope):
    """The nearest points of cones |x_F| <= slope x_n to x (C,3); slope (C,)."""
    n, s, t = x.T
    length = np.sqrt(s * s + t * t)
    inside = np.maximum(n, 0.0)
    beyond = length > slope * inside
    inside = np.where(beyond, np.maximum(0.0, (n + slope * length) / (1 + slope**2)), inside)
    scale = np.where(beyond, slope * inside / np.where(beyond, length, 1.0), 1.0)
    return np.stack([inside, scale * s, scale * t], axis=1)


def unexplained(b, contacts, slope, free):
    """What is left (n,) of b (n,) by the best impulses of contacts (C,n,3) in cones of slopes (C,), and of columns
    free (n,k), which may have any sign."""
    if free.shape[1]:
        U, size, _ = np.linalg.svd(free, full_matrices=False)
        U = U[:, size > 1e-9 * size.max(initial=0.0)]
        b, contacts = b - U @ (U.T @ b), contacts - U @ (U.T @ contacts)
    size = np.linalg.norm(contacts, axis=(1, 2))
    contacts, slope = (contacts / np.where(size > 0, size, 1.0)[:, None, None])[size > 0], slope[size > 0]
    if not len(contacts):
        return b
    G = contacts.transpose(1, 0, 2).reshape(len(b), -1)
    H, g = G.T @ G, G.T @ b
    step, goal = 1.0 / np.linalg.norm(H, 2), (EXACT * np.linalg.norm(b)) ** 2
    x = z = np.zeros(len(g))
    speed = 1.0
    # Accelerated projected gradients, begun anew where they lead back (Beck, Teboulle 2009; O'Donoghue, Candes 2015).
    for k in range(MOST):
        y = onto_cones((z + step * (g - H @ z)).reshape(-1, 3), slope).ravel()
        back = (z - y) @ (y - x) > 0
        faster = 0.5 + np.sqrt(0.25 + speed**2)
        z = y if back else y + (speed - 1) / faster * (y - x)
        x, speed = y, 1.0 if back else faster
        if k % LOOK == 0:
            left = g - H @ x
            # How much smaller |b - G x|^2 can become at most, within cones that reach as far as x.
            reached = np.linalg.norm(x.reshape(-1, 3), axis=1)
            pull = np.linalg.norm(onto_cones(left.reshape(-1, 3), slope), axis=1)
            if 2 * (reached.max(initial=0.0) * pull.sum() + abs(left @ x)) <= goal:
                break
    return b - G @ x
