"""The StepReport of an island with deformable bodies: energies, works, and what the time scheme itself took.

Every force works along the displacement over the step. What is left of the change of energy then is the scheme's: with
implicit Euler M |u+ - u|^2 / 2 and what the elastic energy is bent between start and end, with the midpoint scheme what
its filter takes and the curvature of the law.
"""

import numpy as np

from ...dynamics import report_kernels as rigid_kernels
from ...dynamics import rotation
from ...dynamics.elastic import row_kernels as kernels
from ...dynamics.goals import ends_of_block
from ...residuals import block_residuals
from ..step_report import CHANGING, FOLDED, LATE, OVERDONE, StepReport


def island_report(island, solved, end, closed, time, h):
    """StepReport of a solved Island whose rigid bodies came to position (R,3), orientation (R,4) and twist (R,6) `end`,
    and by the closing of their joints to those `closed`."""
    bodies = island.model.bodies
    kinetic, potential = rigid_kernels.energies(bodies, *closed)
    closing = kinetic + potential - sum(rigid_kernels.energies(bodies, *end))
    elastic, damped, lost, driven = 0.0, 0.0, _rigid_loss(island, solved, h), 0.0
    pushed = _contact_forces(solved, h)
    for part in solved.parts:
        potential -= float(part.body.mass @ part.position(h) @ island.model.gravity)
        own = part.ledger(island.model.gravity, pushed[part.span], h)
        kinetic, elastic = kinetic + own[0], elastic + own[1]
        damped, lost, driven = damped + own[2], lost + own[3], driven + own[4]
    normal, friction, held = contact_work(island, solved, h)
    report, gap = solved.report, island.contacts.gap
    accepted = report is None or report.status.accepted
    made = StepReport(
        time=time, contact_count=len(solved.step.rows), overlap=max(0.0, float(-gap.min(initial=0.0))),
        kinetic=kinetic, potential=potential, friction_work=friction, impact_loss=normal, stabilisation_work=0.0,
        residual=0.0 if report is None else report.residual, iterations=0 if report is None else report.iterations,
        converged=solved.settled and accepted,
        solve_s=0.0 if report is None else report.wall_s, elastic=elastic, damping_work=damped,
        rounds=solved.rounds, scheme_loss=lost, joint_work=held + driven + closing,
    )  # fmt: skip
    if made.converged:
        return made
    if not accepted:
        return made.where(*_worst_ends(island, solved))
    why, by = _unsettled(solved)
    return made.where(solved.restless, -1)._replace(unsettled=why, unsettled_by=by)


def _unsettled(solved):
    """(one of UNSETTLED, by how much) of a Solved whose elasticity did not settle."""
    part = next(part for part in solved.parts if part.number == solved.restless)
    if part.scheme.middle and part.overdone:
        return OVERDONE, -part.owed
    if part.scheme.middle and part.least <= 0.0:
        return FOLDED, part.least
    if solved.late:
        return LATE, 0.0
    return CHANGING, solved.change / solved.aim if solved.aim > 0.0 else np.inf


def _worst_ends(island, solved):
    """The two bodies of the island at the block with the largest residual, -1 for none."""
    residuals, count = block_residuals(solved.problem, solved.of_problem), island.contacts.count
    worst = int(np.argmax(residuals))
    if worst >= len(solved.chosen.blocks):
        # Rows of elements.
        return solved.restless, -1
    worst = int(solved.chosen.blocks[worst])
    if count <= worst < count + island.attached.count:
        return tuple(int(body) for body in island.attached.body[worst - count])
    if worst >= count:
        worst -= island.attached.count
    return ends_of_block(island.model, solved.step, worst)


def _contact_forces(solved, h):
    """Forces (N,3) [N] of all rows on the nodes of the island, means over the step."""
    soft, push = solved.soft, np.zeros((sum(part.body.node_count for part in solved.parts), 3))
    kernels.add_impulses(soft.rows, solved.step.problem.row_start, soft.node, soft.push, solved.impulse, push)
    return push / h


def _rigid_loss(island, solved, h):
    """What the step takes from the rigid bodies of the island [J]: of Euler's M |u+ - u|^2 / 2."""
    if island.poses.remaining < h:
        return 0.0
    bodies = island.model.bodies
    change = solved.twist - island.poses.before
    moving = bodies.inverse_mass > 0
    R = rotation.matrix(island.poses.orientation[moving])
    turn = np.einsum("bji,bj->bi", R, change[moving, 3:])
    spin = np.einsum("bi,bij,bj->", turn, bodies.inertia[moving], turn)
    return -0.5 * float(bodies.mass[moving] @ (change[moving, :3] ** 2).sum(axis=1) + spin)


def contact_work(island, solved, h):
    """Work [J] of the normal and of the friction impulses, and of attachments and joints: against the displacement over
    the step."""
    step, impulse = solved.step, solved.impulse
    if len(impulse) == 0:
        return 0.0, 0.0, 0.0
    soft, velocity = solved.soft, np.zeros(len(impulse))
    rate = np.empty((sum(part.body.node_count for part in solved.parts), 3))
    for part in solved.parts:
        rate[part.span] = part.mean_rate(h)
    kernels.add_velocities(soft.rows, step.problem.row_start, soft.node, soft.push, rate, velocity)
    twist = solved.twist
    if island.poses.remaining < h:
        # As in steps without deformable bodies, impulses work after the damping of the step.
        kept = np.repeat(np.exp(-h * island.model.damping), 3, axis=1)
        twist = 0.5 * (solved.twist + kept * island.poses.before)
    work = impulse * (velocity + _rigid_velocity(step, island, twist))
    count = solved.contact_rows
    normal = float(work[step.first].sum())
    return normal, float(work[:count].sum()) - normal, float(work[count:].sum())


def _rigid_velocity(step, island, twist):
    """Velocities (K,) of the rows of a ContactStep for twists (R,6): of contacts also those of driven bodies."""
    problem, dof = step.problem, island.model.bodies.dof_of_body
    w, at_free = np.zeros(problem.dof_count), np.zeros(problem.dof_count)
    for body in np.flatnonzero(dof >= 0):
        w[dof[body] : dof[body] + 6] = twist[body]
        at_free[dof[body] : dof[body] + 6] = island.poses.free[body]
    none = np.zeros(problem.row_count)
    zero, count = problem.with_b(none), step.contact_rows
    velocity = zero.velocity(none, w)
    velocity[:count] += (problem.b - zero.velocity(none, at_free))[:count]
    return velocity
