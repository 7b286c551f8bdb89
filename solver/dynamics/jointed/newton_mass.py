"""The masses of a Newton step on the level of positions, with the geometric stiffness of its forces.

Macklin et al. 2019, (70) to (74). Forces turn with the bodies they act on; what that changes of J^T lambda along with
the velocities u is K = d(J^T lambda)/du, and H = M - h^2 K is the matrix of the step. K is approximated by a diagonal,
found from the last two iterates by the change of the momentum balance g = M (u - u~) - h J^T lambda:

    c_k = -[g(u')_k - g(u)_k - (M du)_k]/du_k,      H_kk = M_kk - min(0, c_k).

(73) prints + (M du)_k, which (71) and (72) contradict: without forces it would make H three times M. Impulses are
carried along as vectors in the world, as rows along a fixed normal do, so that only moments change: the arm turns. At a
solution u' = u, so that nothing of it is changed by H; off it, H decides whether the iteration gets there.
"""

import numpy as np

from ...options import changed
from .. import rotation
from ..contact_step import from_rows
from ..rigid import drifted
from . import function_kernels as kernels
from .solution import joint_rows


def newton_step(model, poses, solution, before, orientation, stiffened):
    """(Model, velocities (R,6) without impulses) of the Newton step from the velocities u of a StepSolution, which end
    at `orientation` (R,4): H as the masses, and u - H^-1 M (u - u~) as what impulses add to.

    before (R,6): velocities of the iterate before. M is that of the start of the step, as the paper has it. Without
    `stiffened` it is H. Momentum is kept where the iteration has come to its end, and by H = M always.
    """
    mass = _in_world(poses.orientation, model.inertia)
    shift = geometric_stiffness(model, poses, solution, before) if stiffened else np.zeros((len(mass), 3))
    H = mass + np.einsum("ri,ij->rij", shift, np.eye(3))
    moving = model.inverse_mass > 0
    inverse, free = np.zeros_like(mass), poses.free.copy()
    inverse[moving] = _inverse(H[moving])
    off = solution.twist[moving, 3:] - poses.free[moving, 3:]
    free[moving, 3:] = solution.twist[moving, 3:] - np.einsum("rij,rjk,rk->ri", inverse[moving], mass[moving], off)
    turned = rotation.matrix(orientation)
    own = np.ascontiguousarray(np.einsum("rji,rjk,rkl->ril", turned, inverse, turned))
    return changed(model, bodies=model.bodies._replace(inverse_inertia=own), inverse_inertia=own), free


def geometric_stiffness(model, poses, solution, before):
    """What (74) adds to the diagonal of each body's moment of inertia (R,3) [kg m^2], world axes."""
    start = rotation.matrix(poses.orientation)
    ends = [rotation.matrix(drifted(model, poses.position, poses.orientation, twist, poses.remaining)[1])
            for twist in (before, solution.twist)]  # fmt: skip
    # The moment of impulses p at arms that turn by D is that of the matrix D sum(r p^T).
    moment = (ends[1] - ends[0]) @ np.swapaxes(start, 1, 2) @ _levers(model, poses, solution)
    change = np.stack([moment[:, 1, 2] - moment[:, 2, 1], moment[:, 2, 0] - moment[:, 0, 2],
                       moment[:, 0, 1] - moment[:, 1, 0]], axis=1)  # fmt: skip
    turn = solution.twist[:, 3:] - before[:, 3:]
    # Smaller turns [rad] tell nothing of the stiffness.
    known = np.abs(turn) * poses.remaining > 1e-12
    c = np.divide(change, turn, out=np.zeros_like(turn), where=known)
    return -np.minimum(0.0, c)


def _levers(model, poses, solution):
    """Sum over the impulses p on each body, at the arms r from its centre of mass at the start of the step, of r p^T
    (R,3,3) [N m s]."""
    step = solution.step
    found = np.zeros((len(poses.position), 3, 3))
    contacts = step.contacts
    carried = from_rows(solution.impulse[: step.contact_rows], step.frame, step.rows)
    push = carried[:, :1] * contacts.normal + carried[:, 1:4]
    for bodies, sign in ((contacts.body_a, -1.0), (contacts.body_b, 1.0)):
        point = contacts.position + 0.5 * sign * np.maximum(contacts.gap, 0.0)[:, None] * contacts.normal
        np.add.at(found, bodies, sign * np.einsum("ci,cj->cij", point - poses.position[bodies], push))
    if step.joints is None:
        return found
    tables = step.joints.tables
    load = np.zeros((tables.count, 6))
    own = joint_rows(step, solution.impulse, np.zeros(len(tables.rows.role)))
    kernels.add_loads(tables.rows, tables.functions, step.joints.linear.J, own, load)
    start = rotation.matrix(poses.orientation)
    for side, sign in ((0, -1.0), (1, 1.0)):
        body = tables.per_joint.ends[:, side]
        held = body >= 0
        arm = np.einsum("jik,jk->ji", start[body[held]], tables.per_joint.anchor[held, side])
        np.add.at(found, body[held], sign * np.einsum("ji,jk->jik", arm, load[held, :3]))
    return found


def _inverse(tensors):
    """Inverses (R,3,3) of symmetric ones; numpy's own begins threads for each."""
    x, y, z = np.moveaxis(tensors, 1, 0)
    columns = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], axis=2)
    return columns / np.einsum("ri,ri->r", x, columns[:, :, 0])[:, None, None]


def _in_world(orientation, tensors):
    """Tensors (R,3,3) of the body frames in the world."""
    R = rotation.matrix(orientation)
    return np.einsum("rij,rjk,rlk->ril", R, tensors, R)
