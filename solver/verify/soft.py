"""Deformable bodies, substep by substep: the filtered midpoint rule (docs/deformables.md), with forces, filters, widths
and works recomputed."""

import numpy as np

from .elastic import Rigid
from .mechanics import ROUND_OFF, last_of
from .reduced import Reduced, reduced_substep, shape_vectors

# What is known of a node in a substep: where it is at its start; velocities there, with pins and the width of the step,
# filtered, the slow part of that, solved for, and at the end; what linearising leaves of its momentum.
NODE = "x", "before", "u", "f", "low", "v", "after", "left"
# What is checked of a deformable body in a substep, with its unit.
CHECKS = (
    ("deformable bodies begin a substep where they ended", "m, m/s"),
    ("momenta stay as lengths of substeps change", "N s"),
    ("momentum of every node or shape vector, with elastic and damping forces", "N s"),
    ("momenta stay in filters", "N s"),
    ("energy that filters give", "J"),
    ("energy that the scheme of a deformable body gave so far", "J"),
)  # fmt: skip
# What is worked out of it: what CHECKS found and may find, works and energies, and what round-off leaves of these [J].
ENERGIES = "damping_work", "joint_work", "scheme_loss", "kinetic", "elastic", "unsure"
FIELDS = [("body", int), ("substep", int), ("found", float, 6), ("allowed", float, 6), *((e, float) for e in ENERGIES)]
# Part of what was stored that round-off may leave; parts of lengths and velocities that it takes in the work on them.
STORED, DIGITS = 1e-12, 1e-15
# Waves that cross a body so often in a substep move it as a rigid one: its elastic energy is none that the scheme
# keeps, and it ends as wide as its turn.
UNRESOLVED = 16


def soft_substeps(run, push):
    """A record (G,) of FIELDS for each of a Run's groups; push (M,3): impulses of contacts on the rows of nodes."""
    rho, ended, records = run.header["options"]["spectral_radius"], {}, []
    t = 1 / (1 + rho)
    for group, (number, rows) in enumerate(run.groups):
        if isinstance(run.elastic[number], Reduced):
            found, allowed, works, ended[number] = reduced_substep(run, group, push, ended.get(number))
            records.append((number, run.node_of[rows[0]], found, allowed, *works))
            continue
        substep, body, P = run.node_of[rows[0]], run.elastic[number], push[rows]
        h, m, pinned = run.length[substep], body.mass[:, None], body.pinned
        x, before, u, f, low, v, after, left = (run.node[name][rows] for name in NODE)
        y, d, end = run.node["y"][rows], 0.5 * h * (f + v), run.node["end"][rows]
        if number not in ended:
            first = run.nodes_at(number, 0)[0]
            ended[number] = first, before, body.energy(first), 0.0, 0.0, 0.0, 0.0
        x_before, v_before, stored_before, h_before, gained, doubt, most = ended[number]
        here, there, then, old = (Rigid(body.piece, body.mass, at) for at in (x, y, end, x_before))
        # Forces are taken at y + w; those of damping with the stiffness as far on as the body turns.
        w = h * there.deforming(t / 2 * v + (t - 1) / 2 * f - (t - 0.5) * low)
        rate = there.deforming(t * v + (1 - t) * f + (2 * t - 1) * there.outward(f, h))
        damping = -body.damping[0] * m * rate
        if body.damping[1] > 0:
            rigid = u - here.deforming(u)
            outward = Rigid(body.piece, body.mass, x + 0.5 * h * rigid).outward(rigid, h)
            damping -= body.damping[1] * body.stiffness(x + 0.5 * h * (rigid - outward), rate)
        damping, force = there.balanced(damping), there.balanced(body.forces(y + w))
        off = m * (v - f - h * run.gravity) - h * (force + damping) - P - left
        # Stiff bodies answer to the last digits of where their nodes are and how fast.
        digits = DIGITS * np.abs([x, end]).max()
        by_digits = body.stiff * (digits + DIGITS * body.damping[1] * np.abs([f, v]).max())
        size = (m * (abs(v) + abs(f)) + h * abs(force) + abs(P)).max()
        # What turns is as much wider as its nodes go straight: that is no strain, and follows the length of substeps.
        stored, kinetic = body.energy(end + then.unwidened(v, 0.5 * h)), 0.5 * (m * after**2).sum()
        reach, wider, widened = np.abs(x - x.mean(axis=0)).max(), 0.0, 0.0
        if h != h_before:
            spins = np.concatenate([here.twists(u), old.twists(before)])[:, 3:]
            wider = (max(h, h_before) * np.linalg.norm(spins, axis=1).max(initial=0.0)) ** 2 / 4 * reach
            widened = body.energy(x + here.unwidened(u, 0.5 * h)) - stored_before
            # The wider it is the slower it turns: its angular momentum stays.
            widened += 0.5 * (m * (u**2 - before**2))[~pinned].sum()
        pins = (left / h * d + 0.5 * m * (f**2 - before**2))[pinned].sum()
        lost = kinetic - 0.5 * (m * before**2).sum() + stored - stored_before - pins - (damping * d).sum()
        lost -= (m * d * run.gravity).sum() + (P * d).sum() / h
        gained, doubt = gained + lost - widened, doubt + digits * (np.abs(force).sum() + len(x) * by_digits)
        end_v = v
        if h * body.wave_speed > UNRESOLVED * np.ptp(body.rest, axis=0).max():
            doubt += max(0.0, lost - widened)
            if not pinned.any():
                end_v = v + then.deforming(there.outward(f, h) - there.outward(v, h))
        # What is made and cannot be taken yet may be a fiftieth of what it is taken from.
        most = max(most, stored + 0.5 * (m * then.deforming(after) ** 2).sum())
        ended[number] = end, after, stored, h, gained, doubt, most
        a, b = there.deforming(f), there.deforming(low)
        turned = [modes.momenta(c) for modes, c in ((here, u - f), (there, f - low), (then, v - after))]
        # Filters are self-adjoint by mass, with factors between 0 and 1.
        given = [(m * c).sum() for c in ((u - f) * (u - f - (1 - rho) * u), b * (b - a), after**2 - end_v**2)]
        level, amount = kinetic + abs(stored) + (m * u**2).sum(), (m * (abs(u) + abs(v))).sum() * max(1.0, reach)
        begun = max(np.abs(x - x_before).max() - wider, np.abs(before - v_before).max())
        kept = here.momenta(u) - old.momenta(before)
        found = (begun, np.abs(kept).max(initial=0.0), np.abs(off).max(), np.abs(turned).max(initial=0.0), max(given),
                 gained)  # fmt: skip
        allowed = (STORED * max(reach, 1.0), *(ROUND_OFF * one for one in (amount, size, amount, level, level)))
        allowed = np.add(allowed, [0.0, 0.0, h * by_digits, 0.0, 0.0, doubt + 0.02 * most])
        unsure = ROUND_OFF * level + digits * (np.abs(force).sum() + len(x) * by_digits)
        # What damping gives is reported as the scheme's.
        taken = min(0.0, (damping * d).sum())
        lost += (damping * d).sum() - taken
        records.append((number, substep, found, allowed, taken, pins, lost, kinetic, stored, unsure))
    return np.array(records, dtype=FIELDS)


def deformables(run):
    """The balances of deformable bodies, and that the frames are where they are."""
    number, substep = run.soft["body"], run.soft["substep"]
    first = number.size - 1 - last_of(number[::-1])
    off = np.array([run.elastic[k].uneven for k in number[first]])
    yield "nodes have the masses of their elements", "1", off, ROUND_OFF, substep[first]
    ends, off, allowed = last_of(run.step[substep], number), [], []
    shown, frames = run.frames_of(run.step[substep[ends]], len(run.node_records))
    shown = ends[shown]
    for k, frame in zip(shown, frames, strict=True):
        there = [run.node[name][run.groups[k][1]] for name in ("end", "after")]
        off.append(np.abs(run.nodes_at(number[k], frame) - there).max())
        # Of bodies in shape vectors they are made from these.
        allowed.append(run.elastic[number[k]].may_stray)
    yield "the frames are where the nodes are", "m, m/s", np.array(off), np.array(allowed), substep[shown]
    yield from shape_vectors(run, number[first], substep[first])
    for (name, unit), found, allowed in zip(CHECKS, run.soft["found"].T, run.soft["allowed"].T, strict=True):
        yield name, unit, found, allowed, substep, run.names[number]
