"""One step of one island with deformable bodies: elasticity is linearised, condensed, and solved with the contacts, and
that again until the velocities settle."""

import numpy as np

from ... import methods
from ...methods.counted import improve_within
from ..cholesky.factor import NotPositive
from ..contact_step import StepTimes, bounces, from_rows, to_rows, velocity_b
from ..goals import goals_at
from ..jointed.rows import turned_with
from ..jointed.solution import with_joint_rows
from ..rigid import with_change
from . import row_kernels as kernels
from .crushed import Crushed, crushed
from .island import Demands, Island, Solved
from .literal.element_problem import element_problem, linearise_elements, take_velocities
from .problem import chosen_blocks, island_problem, island_rows
from .schemes.linearised import shorten
from .schemes.multistep import BDF2, SCHEMES, jumps, soft_part


def solve_island(island, settings, demands):
    """The Solved of an Island. Where BDF2 meets an impact the step is made again with Euler."""
    h, gravity = settings.time_step, island.model.gravity
    remembers = {k: demands.scheme == "bdf2" and on for k, on in island.remembers.items()}
    solved = _solve(island, settings, demands, remembers)
    struck = {}
    if solved.impulse.any():
        for part in solved.parts:
            if remembers[part.number] and jumps(part, island.nodes, island.spans[part.number], h, gravity):
                struck[part.number] = False
    if struck:
        wanted = np.zeros(len(solved.soft.rows), dtype=bool)
        wanted[solved.chosen.blocks] = True
        solved = _solve(island, settings, demands, remembers | struck, wanted)
        solved.again = True
    # Whoever was struck begins anew, this step forgotten.
    island.remembers = {k: k not in struck for k in remembers}
    return solved


def _solve(island, settings, demands, remembers, wanted=None):
    """The Solved with these schemes; wanted (B,) bool: blocks to be solved for from the first round on."""
    h, model = settings.time_step, island.model
    parts = _parts(island, demands, remembers, h)
    step, soft = island_rows(island, parts, island.poses, h)
    elapsed = h - island.poses.remaining
    hit, target = bounces(step, StepTimes(h, elapsed, island.poses.horizon), settings.bounce_threshold)
    push = _push(island, settings, demands.parts)
    impulse = _first_impulses(island, step, soft)
    twist, settled, restless, late, change, aim = island.poses.free, False, parts[0], True, 0.0, 0.0
    scheme = SCHEMES[demands.scheme]
    elements = scheme.elements
    wanted = np.full(len(soft.rows), elements) if wanted is None else wanted
    done, most = 0, demands.rounds or scheme.rounds
    rounds = most
    while done < rounds:
        before = [part.v for part in parts]
        for part in parts:
            _linearise(island, part, h)
        base = velocity_b(step, island.poses.horizon, hit, target)
        base[step.first] -= push
        free = _row_velocities(parts, step, soft, base, [part.free for part in parts], None, h)
        fall = _fall(island, step, impulse, free, h)
        wanted |= _closing(step, soft, impulse, free)
        chosen = chosen_blocks(soft, parts, wanted)
        solve = _elements_solved if elements else _contacts_solved
        problem, at, twist, solved, closing, of_problem = solve(
            island, settings, parts, step, soft, chosen, base, impulse, fall
        )
        done += 1
        late = np.any(closing & ~wanted)
        # What only now is found to close takes no round from the others.
        rounds += late and done <= most
        wanted |= closing
        changes = [np.abs(part.v - v).max() for part, v in zip(parts, before, strict=True)]
        change, restless = max(changes), parts[int(np.argmax(changes))]
        speed = max(np.abs(part.v).max() for part in parts)
        if scheme.middle:
            # What a solve left open the next one takes up, with the same linearisation.
            left = solved is not None and not solved.outcome.status.accepted
            settled = not (late or left) and all([part.settled(model.gravity) for part in parts])
        else:
            # Impulses that were good enough leave velocities of no more than that settled.
            aim = demands.tolerance * (speed + fall) + _left(solved, settings, speed)
            settled = not late and change <= aim
        if settled and (step.joints is None or done > 1):
            break
        if done < rounds:
            for part, v in zip(parts, before, strict=True):
                # Macklin et al. take whole steps.
                if not elements and not scheme.middle:
                    shorten(part, v, h, model.gravity)
            if step.joints is not None:
                step = turned_with(model, island.poses, step, twist)
    report = None
    if solved is not None:
        if settings.record is not None:
            settings.record(problem)
        report = methods.grade(problem, of_problem, solved, True)
    return Solved(parts, twist, impulse, step, report, done, problem, at, chosen, soft, settled, restless.number,
                  of_problem, change=change, aim=aim, late=bool(late), base=base)  # fmt: skip


def _linearise(island, part, h):
    if part.scheme.elements:
        linearise_elements(part, island.model.gravity, h)
        return
    _within_numbers(island, part, part.linearise, island.model.gravity, h)


def _within_numbers(island, part, act, *given):
    """act(*given) of a part; raises Crushed where it says NotPositive."""
    try:
        act(*given)
    except NotPositive:
        raise crushed(island.model.names[part.number], island.time, part.number) from None


def _parts(island, demands, remembers, h):
    """The SoftParts of an island, with the schemes they are stepped with."""
    parts, first = [], 0
    for number, span in island.spans.items():
        body, target = island.model.elastic[number], island.targets.get(number)
        if demands.middle:
            parts.append(island.starts[number])
            parts[-1].number, parts[-1].first = number, first
            first += body.node_count
            continue
        scheme = BDF2 if remembers[number] else SCHEMES[demands.scheme]
        parts.append(soft_part(number, body, first, island.nodes, span, scheme, h, target))
        parts[-1].pressure = body.pressure_at(island.time)
        if number in island.guess:
            parts[-1].v = island.guess[number]
        first += body.node_count
    return parts


def _row_velocities(parts, step, soft, base, speeds, change, h):
    """Velocities (K,) of all rows where nodes have `speeds`, (n,3) for each of the parts, and rigid bodies `change`
    (N,) besides what is in base (K,)."""
    rate = np.concatenate([part.contact_rate(h, v) for part, v in zip(parts, speeds, strict=True)])
    b = base.copy()
    kernels.add_velocities(soft.rows, step.problem.row_start, soft.node, soft.push, rate, b)
    return b if change is None else step.problem.with_b(b).velocity(np.zeros(len(b)), change)


def _closing(step, soft, impulse, free):
    """Blocks (B,) bool that have to be solved for: contacts that would close without impulses or that carry one, and
    all that are no contacts; free (K,): velocities of the rows without impulses."""
    closing = np.ones(len(soft.rows), dtype=bool)
    closing[: len(step.rows)] = (free[step.first] < 0.0) | (impulse[step.first] != 0.0)
    return closing


def _fall(island, step, impulse, free, h):
    """What the loads of an island would give its bodies in a step [m/s]: gravity, or what presses it, the mean over the
    impulses (K,) so far of the velocities `free` (K,) that rows have without them. A press fit without gravity comes to
    rest, and a share of its speed would be no measure then; what its impulses would give its mass is none either: of
    stiff bodies they undo a small part of that."""
    pressed = np.abs(impulse[step.first])
    undone = float(pressed @ np.abs(free[step.first])) / float(pressed.sum()) if pressed.any() else 0.0
    return max(h * float(np.linalg.norm(island.model.gravity)), undone)


def _first_impulses(island, step, soft):
    """Impulses (K,) to start at: those of the step before."""
    impulse = to_rows(island.carried, step.frame, step.rows)
    if island.attached.count:
        held = island.nodes.held[island.attached_number]
        impulse = np.concatenate([impulse, np.einsum("aij,aj->ai", soft.frame[soft.held], held).ravel()])
    return with_joint_rows(step, impulse, island.joints.impulse)


def _push(island, settings, parts):
    """Velocity (C,) [m/s] with which overlap goes; it is left in the velocities, which elasticity damps. parts: see
    Demands."""
    contacts, moving = island.contacts, island.model.soft | (island.model.inverse_mass > 0)
    if settings.overlap != "soft" or contacts.count == 0:
        return np.zeros(contacts.count)
    size = np.where(moving, island.model.size, np.inf)
    size = np.minimum(size[contacts.body_a], size[contacts.body_b])
    overlap = np.maximum(-contacts.gap - settings.overlap_tolerance * size, 0.0)
    # A fifth of it goes in a step of the run: in so much of its parts it would throw bodies apart.
    return np.minimum(0.2 * overlap, settings.largest_push * size) / (parts * settings.time_step)


def _contacts_solved(island, settings, parts, step, soft, chosen, base, impulse, fall):
    """(ContactProblem or None, its rows, twist (R,6), Solved of the method or None, contacts and other blocks (B,) bool
    that close nevertheless, impulses of the problem): impulses (K,), updated, of the Chosen blocks with the bodies as
    linearised; parts get their velocities. fall: see _fall."""
    h, free = settings.time_step, island.poses.free
    row_start, closing = step.problem.row_start, np.zeros(len(soft.rows), dtype=bool)
    problem, at, twist, solved, rigid = None, np.zeros(0, dtype=np.int64), free, None, None
    own = np.zeros(0)
    if len(chosen.blocks):
        b = _row_velocities(parts, step, soft, base, [part.free for part in parts], None, h)
        W = [part.condensed(nodes) for part, nodes in zip(parts, chosen.nodes, strict=True)]
        problem, at = island_problem(step, soft, chosen, parts, W, b)
        goals, own = _goals(island, settings, parts, problem, fall), impulse[at]
        solved = improve_within(problem, own, settings, goals)
        impulse[at] = own
        rigid = problem.velocity_change(own)[: step.problem.dof_count]
        twist = with_change(island.model, free, rigid)
    push = np.zeros((sum(part.body.node_count for part in parts), 3))
    kernels.add_impulses(soft.rows, row_start, soft.node, soft.push, impulse, push)
    for part in parts:
        _within_numbers(island, part, part.take, push[part.span])
    if len(chosen.blocks) < len(soft.rows):
        v = _row_velocities(parts, step, soft, base, [part.v for part in parts], rigid, h)
        # As far as the method left others to close.
        allowed = 0.0 if solved is None else float(_open_residual(solved, goals))
        closing[: len(step.rows)] = v[step.first] < -allowed
        closing[chosen.blocks] = False
    return problem, at, twist, solved, closing, own


def _elements_solved(island, settings, parts, step, soft, chosen, base, impulse, fall):
    """The same where the elements are rows of the problem, and all blocks are in it."""
    h, count = settings.time_step, len(impulse)
    b = _row_velocities(parts, step, soft, base, [part.free for part in parts], None, h)
    problem, dof = element_problem(step, soft, parts, b, h)
    own = np.concatenate([impulse, *(part.strain_impulse.ravel() for part in parts)])
    goals = _goals(island, settings, parts, problem, fall)
    solved = improve_within(problem, own, settings, goals)
    impulse[:] = own[:count]
    w = problem.velocity_change(own)
    take_velocities(parts, dof, w, own[count:], h)
    twist = with_change(island.model, island.poses.free, w[: step.problem.dof_count])
    return problem, np.arange(count), twist, solved, np.zeros(len(soft.rows), dtype=bool), own


def _goals(island, settings, parts, problem, fall):
    """What a solve of the island's one problem is asked for."""
    one = np.zeros(problem.block_count, dtype=np.int64)
    goals = goals_at(one, np.array([_speed(island, parts)]), fall, settings)
    # Pairs of contacts relaxed before an acceptable residual will do: each sees all others, so few are cheap to solve
    # well, and what is left open keeps rounds from settling. What ten times as many do not bring, hundreds do not.
    patience = np.maximum(goals.patience, int(3e7 / problem.block_count))
    return goals._replace(patience=patience, effort=np.minimum(goals.effort, 10 * patience))


def _open_residual(solved, goals):
    """Residual [m/s] that a solve was allowed to leave."""
    ended = solved.outcome.status is methods.Status.ACCEPTABLE
    return (goals.acceptable if ended else goals.tolerance)[0]


def _left(solved, settings, speed):
    """Velocity [m/s] that a solve left open which was ended as acceptable."""
    ended = solved is not None and solved.outcome.status is methods.Status.ACCEPTABLE
    return settings.acceptable * speed if ended else 0.0


def _speed(island, parts):
    """How fast things are in the island [m/s]: the root mean square over the bodies, of deformable ones over the mass,
    before the step."""
    squares = [float(part.body.mass @ np.einsum("ni,ni->n", part.u, part.u) / part.body.mass.sum()) for part in parts]
    rigid = island.poses.before[island.model.inverse_mass > 0, :3]
    squares.extend((rigid**2).sum(axis=1))
    return float(np.sqrt(np.mean(squares)))


def carried_on(solved):
    """Impulses (C,5) of contacts for the next step's warm start."""
    return from_rows(solved.impulse[: solved.contact_rows], solved.step.frame, solved.step.rows)


def normal_impulses(solved):
    """Impulses (N,3) [N s] of contacts along their normals on the nodes of the island."""
    step, soft = solved.step, solved.soft
    normal, push = np.zeros_like(solved.impulse), np.zeros((sum(part.body.node_count for part in solved.parts), 3))
    normal[step.first] = solved.impulse[step.first]
    kernels.add_impulses(soft.rows, step.problem.row_start, soft.node, soft.push, normal, push)
    return push


def held_impulses(solved):
    """Impulses (A,3) of attachments on what holds them, world frame [N s]."""
    frame = solved.soft.frame[solved.soft.held]
    return np.einsum("aij,ai->aj", frame, solved.impulse[solved.held_rows].reshape(-1, 3))


__all__ = ["Crushed", "Demands", "Island", "Solved", "carried_on", "crushed", "held_impulses", "normal_impulses",
           "solve_island"]
