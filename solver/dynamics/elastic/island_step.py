"""One step of one island with deformable bodies: elasticity is linearised, condensed, and solved with the contacts, and
that again until the velocities settle."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ... import methods
from ..cholesky.factor import NotPositive
from ..contact_step import StepTimes, bounces, contact_step, velocity_b
from ..rigid import with_change
from ..warm_start import from_rows, to_rows
from . import row_kernels as kernels
from .problem import island_problem, soft_rows
from .schemes import jumps, soft_part

# Part of the step that is taken in a line search, at least.
SHORTEST = 1.0 / 64.0
ARMIJO = 1e-4
# Part of an overlap that goes in a step.
PUSH_RATE = 0.2


class Demands(NamedTuple):
    """rounds: most linearisations of a step; tolerance: change of velocity from one to the next at which they end, in
    parts of the speed; second_order: BDF2 where a body remembers."""

    rounds: int = 6
    tolerance: float = 1e-5
    second_order: bool = True


@dataclass
class Island:
    """What an island's step needs. model: of its bodies alone; position, orientation, before, free: their poses, and
    twists before the step and after it without impulses, 0 for deformable ones; contacts, stencils, carried (C,5)
    between them; nodes: Nodes of the whole scene, spans: of each deformable body in it; targets: where pinned nodes go,
    by number."""

    model: Any
    position: np.ndarray
    orientation: np.ndarray
    before: np.ndarray
    free: np.ndarray
    contacts: Any
    stencils: Any
    carried: np.ndarray
    nodes: Any
    spans: dict
    remembers: dict
    targets: dict


@dataclass
class Solved:
    """parts: SoftParts with their velocities; twist (R,6) of the rigid bodies; impulse (K,); step: ContactStep; report:
    SolveReport or None without contacts; rounds: linearisations; problem: the last one; soft: SoftRows; settled:
    whether they ended by their tolerance; again: whether the step was made twice."""

    parts: list
    twist: np.ndarray
    impulse: np.ndarray
    step: Any
    report: Any
    rounds: int
    problem: Any
    soft: Any
    settled: bool
    again: bool = False


def solve_island(island, settings, demands):
    """The Solved of an Island. Where BDF2 meets an impact the step is made again with Euler."""
    h, gravity = settings.time_step, island.model.gravity
    remembers = {k: demands.second_order and on for k, on in island.remembers.items()}
    solved = _solve(island, settings, demands, remembers)
    struck = {}
    if solved.impulse.any():
        for part in solved.parts:
            if remembers[part.number] and jumps(part, island.nodes, island.spans[part.number], h, gravity):
                struck[part.number] = False
    if struck:
        solved = _solve(island, settings, demands, remembers | struck)
        solved.again = True
    # Whoever was struck begins anew, this step forgotten.
    island.remembers = {k: k not in struck for k in remembers}
    return solved


def _solve(island, settings, demands, remembers):
    h, model = settings.time_step, island.model
    parts, first = [], 0
    for number, span in island.spans.items():
        body = model.elastic[number]
        target = island.targets.get(number)
        parts.append(soft_part(number, body, first, island.nodes, span, remembers[number], h, target))
        first += body.node_count
    step = contact_step(model, island.position, island.orientation, island.before, island.free, island.contacts)
    soft = soft_rows(parts, island.contacts.body_a, island.contacts.body_b, island.stencils)
    hit, target = bounces(step, StepTimes(h, 0.0, h), settings.bounce_threshold)
    base = velocity_b(step, h, hit, target)
    base[step.problem.row_start[:-1]] -= _push(island, settings)
    impulse = to_rows(island.carried, step.frame, step.rows)
    twist, report, problem, settled = island.free, None, None, False
    twist_scale = h * float(np.linalg.norm(model.gravity))
    for done in range(1, demands.rounds + 1):
        before = [part.v for part in parts]
        condensed = [_linearised(part, nodes, model.gravity, h) for part, nodes in zip(parts, soft.nodes, strict=True)]
        problem, twist, solved = _contacts_solved(island, settings, parts, step, soft, condensed, base, impulse, first)
        change = max(np.abs(part.v - v).max() for part, v in zip(parts, before, strict=True))
        speed = max(np.abs(part.v).max() for part in parts)
        settled = change <= demands.tolerance * (speed + twist_scale)
        if settled:
            break
        if done < demands.rounds:
            for part, v in zip(parts, before, strict=True):
                _shorten(part, v, h, model.gravity)
    if problem is not None and solved is not None:
        if settings.record is not None:
            settings.record(problem)
        report = methods.grade(problem, impulse, solved, True)
    return Solved(parts, twist, impulse, step, report, done, problem, soft, settled)


def _push(island, settings):
    """Velocity (C,) [m/s] with which overlap goes; it is left in the velocities, which elasticity damps."""
    contacts, moving = island.contacts, island.model.soft | (island.model.inverse_mass > 0)
    if settings.overlap != "soft" or contacts.count == 0:
        return np.zeros(contacts.count)
    size = np.where(moving, island.model.size, np.inf)
    size = np.minimum(size[contacts.body_a], size[contacts.body_b])
    overlap = np.maximum(-contacts.gap - settings.overlap_tolerance * size, 0.0)
    return np.minimum(PUSH_RATE * overlap, settings.largest_push * size) / settings.time_step


def _linearised(part, nodes, gravity, h):
    """Factor the body's matrix at its velocities so far; part.free gets those it would end with without impulses.
    Returns its W on `nodes`."""
    body, ch = part.body, part.scale * h
    x, mass = part.position(h), body.mass[:, None]
    drag = ch * body.damping[1]
    if drag > 0.0 and part.drag is None:
        # Damping by the stiffness that the step begins with: it is linear in the velocity then.
        body.forces(x, part.blocks, project=True)
        part.drag = part.blocks.copy()
    force = body.forces(x, part.blocks, project=False)
    right = mass * (part.V - part.v) + ch * (force + mass * gravity)
    if drag > 0.0:
        body.add_stiffness_product(part.drag, -drag, part.v, right)
    right[body.pinned] = 0.0
    try:
        part.factor.refactor(_matrix(part, ch, drag), 1.0, body.mass, body.pinned)
    except NotPositive:
        # Nearly always the mass makes it positive, and the true stiffness settles in fewer rounds.
        body.forces(x, part.blocks, project=True)
        part.factor.refactor(_matrix(part, ch, drag), 1.0, body.mass, body.pinned)
    part.right = right
    part.free = part.v + part.factor.solve(right)
    return part.factor.condensed(nodes)[0] if len(nodes) else np.zeros((0, 0))


def _matrix(part, ch, drag):
    """Blocks (s,3,3) of (c h)^2 K and the damping."""
    return ch * ch * part.blocks if drag == 0.0 else ch * ch * part.blocks + drag * part.drag


def _contacts_solved(island, settings, parts, step, soft, condensed, base, impulse, node_count):
    """(ContactProblem or None, twist (R,6), Solved of the method or None): impulses (K,), updated, of the contacts with
    the bodies as linearised; parts get their velocities."""
    h = settings.time_step
    rate = np.empty((node_count, 3))
    for part in parts:
        rate[part.first : part.first + part.body.node_count] = part.displacement_rate(h, part.free)
    row_start = step.problem.row_start
    problem, twist, solved = None, island.free, None
    if len(step.rows):
        b = base.copy()
        kernels.add_velocities(step.frame, step.rows, row_start, soft.node, soft.weight, rate, b)
        problem = island_problem(step, soft, parts, condensed, b)
        solved = methods.improve(problem, impulse, settings.method, settings.method_options)
        rigid = problem.velocity_change(impulse)[: step.problem.dof_count]
        twist = with_change(island.model, island.free, rigid)
    push = np.zeros((node_count, 3))
    kernels.add_impulses(step.frame, step.rows, row_start, soft.node, soft.weight, impulse, push)
    for part in parts:
        own = part.scale * push[part.first : part.first + part.body.node_count]
        own[part.body.pinned] = 0.0
        part.push = own
        part.v = part.free + (part.factor.solve(own) if own.any() else 0.0)
    return problem, twist, solved


def _merit(part, v, h, gravity):
    """What the velocities v (n,3) of a body minimise at the end of the step, the impulses given [J]."""
    mass = part.body.mass
    energy, _ = part.body.energy(part.position(h, v))
    moved = v - part.V
    inertia = 0.5 * float(mass @ np.einsum("ni,ni->n", moved, moved))
    fall = part.scale * h * float((mass @ v) @ gravity)
    merit = inertia + energy - fall - float((part.push * v).sum())
    if part.drag is not None:
        drag = np.zeros_like(v)
        part.body.add_stiffness_product(part.drag, part.scale * h * part.body.damping[1], v, drag)
        merit += 0.5 * float((drag * v).sum())
    return merit


def _shorten(part, start, h, gravity):
    """Shorten the change of part.v (n,3) from `start` until the merit falls enough (Armijo)."""
    step = part.v - start
    slope = float(((part.right + part.push) * step).sum())
    merit, length = _merit(part, start, h, gravity), 1.0
    scale = abs(merit) + 0.5 * float(part.body.mass @ np.einsum("ni,ni->n", part.v, part.v))
    while length > SHORTEST:
        if _merit(part, start + length * step, h, gravity) <= merit - ARMIJO * length * slope + 1e-9 * scale:
            break
        length *= 0.5
    part.v = start + length * step


def carried_on(solved):
    """Impulses (C,5) for the next step's warm start."""
    return from_rows(solved.impulse, solved.step.frame, solved.step.rows)

