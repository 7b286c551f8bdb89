"""The StepReport of an island with deformable bodies: energies, works and what the time scheme lost."""

import numpy as np

from .. import methods
from ..dynamics import report_kernels as rigid_kernels
from ..dynamics.elastic import row_kernels as kernels
from .step_report import StepReport


def island_report(island, solved, position, orientation, time, h):
    """StepReport of a solved Island whose rigid bodies are at position (R,3), orientation (R,4) afterwards."""
    bodies = island.model.bodies
    kinetic, potential = rigid_kernels.energies(bodies, position, orientation, solved.twist)
    elastic, damped = 0.0, 0.0
    for part in solved.parts:
        x, mass = part.position(h), part.body.mass
        kinetic += 0.5 * float(mass @ np.einsum("ni,ni->n", part.v, part.v))
        potential -= float(mass @ x @ island.model.gravity)
        elastic += part.body.energy(x)[0]
        damped -= damping_work(part, h)
    normal, friction = contact_work(island, solved, h)
    report, rows = solved.report, solved.step.rows
    gap = island.contacts.gap
    return StepReport(
        time=time, contact_count=len(rows), overlap=max(0.0, float(-gap.min(initial=0.0))), kinetic=kinetic,
        potential=potential, friction_work=friction, impact_loss=normal, stabilisation_work=0.0,
        residual=0.0 if report is None else report.residual, iterations=0 if report is None else report.iterations,
        converged=solved.settled and (report is None or report.status in (
            methods.Status.CONVERGED, methods.Status.ACCEPTABLE)),
        solve_s=0.0 if report is None else report.wall_s, elastic=elastic, damping_work=damped,
        rounds=solved.rounds,
    )  # fmt: skip


def damping_work(part, h):
    """Energy [J] that Rayleigh's stiffness damping took in the step."""
    if part.body.damping[1] == 0.0:
        return 0.0
    drag = np.zeros_like(part.v)
    part.body.add_stiffness_product(part.drag, part.body.damping[1], part.v, drag)
    return h * float((drag * part.v).sum())


def contact_work(island, solved, h):
    """Work [J] of the normal and of the friction impulses: against the displacement over the step."""
    step, impulse = solved.step, solved.impulse
    if len(step.rows) == 0:
        return 0.0, 0.0
    velocity = np.zeros(len(impulse))
    count = sum(part.body.node_count for part in solved.parts)
    rate = np.empty((count, 3))
    for part in solved.parts:
        rate[part.first : part.first + part.body.node_count] = part.displacement_rate(h, part.v)
    soft = solved.soft
    kernels.add_velocities(step.frame, step.rows, step.problem.row_start, soft.node, soft.weight, rate, velocity)
    change = solved.twist - island.free
    rigid = step.problem.b + _rigid_velocity(step, island, change)
    work = impulse * (velocity + rigid)
    first = step.problem.row_start[:-1]
    normal = float(work[first].sum())
    return normal, float(work.sum()) - normal


def _rigid_velocity(step, island, change):
    """Velocities (K,) of the rows of a ContactStep for twists `change` (R,6)."""
    dof = island.model.bodies.dof_of_body
    w = np.zeros(step.problem.dof_count)
    for body in np.flatnonzero(dof >= 0):
        w[dof[body] : dof[body] + 6] = change[body]
    zero = step.problem.with_b(np.zeros(step.problem.row_count))
    return zero.velocity(np.zeros(step.problem.row_count), w)
