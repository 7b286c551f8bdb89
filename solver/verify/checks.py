"""What is checked of a run: each check compares what the files' numbers give with what they must be."""

import numpy as np

from . import joints as holds
from . import laws, shapes, soft
from .mechanics import angle_between, connected, inertia_in_world, spin_about_center, turned, turned_freely

# Parts of the largest term of a balance that round-off may leave.
ROUND_OFF = 1e-9
# Lengths are kept to this part of a body's size.
LENGTH = 1e-9
# Faces count as wider by this part of the smaller body: corners over them stay, and keep their names.
BESIDE = 5e-4
# What moves further than its velocity takes it by less than this part of its size is not displaced.
DISPLACED = 1e-12
# A contact may close or slide by this part of the smaller moving body in a substep while its rows turn.
MOST_TURNED = 1e-3


def last_of(*keys):
    """Places of the last of each combination of keys (n,)."""
    return np.array(list({key: i for i, key in enumerate(zip(*keys, strict=True))}.values()), dtype=int)


class Checker:
    """The checks of a Run, each a method that yields what `worst` returns."""

    def __init__(self, run):
        self.run, self.moving = run, np.flatnonzero(run.moves)
        # What does not move is not weighed.
        self.mass = np.where(run.moves, run.constant("mass"), 1.0)
        self.inertia = np.where(run.moves[:, None, None], run.constant("inertia"), np.eye(3))
        size = np.array(run.header["size"])[run.body]
        self.size = np.where(size > 0, size, 1.0)
        run.sides, run.other = [laws.Side(run, side) for side in range(2)], holds.other_ends(run)
        self.before, self.damped, self.free = laws.free_velocities(run, self.mass, self.inertia)
        v, spin = (np.linalg.norm([getattr(one, name) for one in (run.start, run.push)], axis=2)
                   for name in ("velocity", "spin"))  # fmt: skip
        self.speed = np.max(v + self.size * spin, axis=0)
        nodes = np.linalg.norm([run.node["f"], run.node["v"]], axis=2).max(axis=0)
        np.maximum.at(self.speed, run.rows(run.node_of, run.node_body), nodes)
        self.speed += run.length[run.of] * np.linalg.norm(run.gravity)
        self.round_off = ROUND_OFF * np.maximum(self.speed[run.a], self.speed[run.b])
        self.soft = soft.soft_substeps(run, laws.pushes(run))
        self.ends = self.moving[last_of(run.step[run.of[self.moving]], run.body[self.moving])]
        self.soft_ends = last_of(run.step[self.soft["substep"]], self.soft["body"])
        self.every = int(run.header["options"]["steps_per_frame"])
        self.strays, self.unsure = self._strays(), self._unsure()

    def worst(self, name, unit, found, allowed, substep, *who):
        """What a check found of numbers (n,) with what is allowed (n,), at the worst of them; substep (n,) and names
        who (n,) say where that is. passed: nowhere was more found than is allowed."""
        allowed, passed = np.broadcast_to(allowed, found.shape), bool(np.all(found <= allowed))
        out = {"name": name, "unit": unit, "found": 0.0, "allowed": 0.0, "passed": passed}
        if len(found) == 0:
            return out | {"step": -1, "time": 0.0, "where": ""}
        i = int(np.argmax(np.where(np.isfinite(found), found / np.maximum(allowed, 1e-300), np.inf)))
        step, time = int(self.run.step[substep[i]]), float(self.run.time[substep[i]])
        return out | {"found": float(found[i]), "allowed": float(allowed[i]), "step": step, "time": time,
                      "where": " and ".join(names[i] for names in who)}  # fmt: skip

    def of_bodies(self, name, unit, found, allowed, rows):
        """What a check found of numbers (n,) that belong to rows (n,) of bodies."""
        return self.worst(name, unit, found, allowed, self.run.of[rows], self.run.names[self.run.body[rows]])

    def of_contacts(self, name, unit, found, allowed):
        """What a check found of numbers (C,), one a contact."""
        names = (self.run.names[self.run.body[rows]] for rows in (self.run.a, self.run.b))
        return self.worst(name, unit, found, allowed, self.run.contact_of, *names)

    def frames_of(self, step, count):
        """(which of steps (n,) end with one of `count` frames, the numbers of these frames)."""
        shown = (step % self.every == 0) & (step // self.every < count)
        return np.flatnonzero(shown), step[shown] // self.every

    def chain(self):
        """Every substep begins where the body's last one ended, and the frames are those states."""
        run, rows = self.run, self.moving[np.argsort(self.run.body[self.moving], kind="stable")]
        follows = run.body[rows[:-1]] == run.body[rows[1:]]
        first, second = rows[:-1][follows], rows[1:][follows]
        gap = np.abs(run.end.columns[first] - run.start.columns[second]).max(axis=1, initial=0.0)
        begins = run.time[run.of[second]]
        late = np.abs((run.time + run.length)[run.of[first]] - begins)
        if run.header["options"]["sleeping"]:
            # A body that is put to rest begins again without the velocity that it had.
            gap[np.any(run.start.velocity[second] != run.end.velocity[first], axis=1)] = 0.0
            late[:] = 0.0
        yield self.of_bodies("every substep begins where the last one ended", "m, m/s, 1", gap, 0.0, second)
        yield self.of_bodies("no time is left out", "s", late, ROUND_OFF * np.maximum(begins, 1e-3), second)
        shown, frame = self.frames_of(run.step[run.of[self.ends]], len(run.frames))
        rows = self.ends[shown]
        off = np.abs(run.frames[frame, run.body[rows], :7] - run.end.columns[rows, :7]).max(axis=1, initial=0.0)
        yield self.of_bodies("the frames are the states of the substeps", "m, 1", off, 0.0, rows)

    def momentum(self):
        """m v1 = d m v0 + h m g + sum of impulses; I w1 = d I w0 + sum of moments where the impulses act."""
        run, moves = self.run, self.moving
        total, size = np.zeros((len(run.body), 6)), np.zeros(len(run.body))
        for rows, wrench in (*laws.wrenches(run), (run.at, run.wrench)):
            np.add.at(total, rows, wrench)
            both = np.abs(wrench[:, :3]).sum(axis=1), np.abs(wrench[:, 3:]).sum(axis=1) / self.size[rows]
            np.add.at(size, rows, sum(both))
        inertia = inertia_in_world(self.inertia, run.push.orientation)
        velocity = run.push.velocity - self.free[0] - total[:, :3] / self.mass[:, None]
        spin = run.push.spin - self.free[1] - np.linalg.solve(inertia, total[:, 3:, None])[..., 0]
        least = np.linalg.eigvalsh(self.inertia)[:, 0]
        allowed = (self.unsure + ROUND_OFF * (self.speed + size * (1.0 / self.mass + self.size**2 / least)))[moves]
        off = np.linalg.norm(velocity, axis=1), self.size * np.linalg.norm(spin, axis=1)
        for name, found in zip(("momentum", "angular momentum"), off, strict=True):
            yield self.of_bodies(f"{name} of every body", "m/s", found[moves], allowed, moves)
        strays, turn = self.strays
        moved, way = np.linalg.norm(strays, axis=1), np.where(run.moves, turn * self.size, 0.0)
        moved = np.where(run.moves, moved, 0.0)
        least = DISPLACED * self.size + 1e-15 * np.linalg.norm(run.end.position, axis=1)
        group, mixed = holds.floating(run, moved > least, moved + way)
        alone = moves[group[moves] == -1]
        off = np.abs(run.end.velocity - run.push.velocity).max(axis=1)[alone]
        yield self.of_bodies("velocities stay after the impulses", "m/s", off, ROUND_OFF * self.speed[alone], alone)
        given = turned(inertia, run.push.spin)
        held = turned(inertia_in_world(self.inertia, run.end.orientation), run.end.spin)
        # A pose that is moved out of an overlap takes its spin with it.
        carried = 1.1 * turn * np.linalg.norm(given, axis=1)
        allowed = carried + ROUND_OFF * self.speed * self.mass * self.size
        off = np.linalg.norm(held - given, axis=1)[alone]
        yield self.of_bodies("angular momenta stay after the impulses", "kg m^2/s", off, allowed[alone], alone)
        yield from self._floating(group, mixed)

    def _floating(self, group, mixed):
        """What floats, group (N,), is turned as a whole, and moves faster or slower beside that, where its bodies are
        moved otherwise than by velocities, unless it has parts that are turned by themselves, mixed (N,);
        contacts alone change its spin."""
        run, push, found = self.run, np.zeros((len(group), 6)), []
        for rows, wrench in laws.wrenches(run):
            np.add.at(push, rows, wrench)
        first = np.array([] if np.any(run.constants["damping"]) else np.unique(group[group >= 0]), dtype=int)
        for own in (np.flatnonzero(group == row) for row in first):
            (_, start), (at_push, _), (arm, end) = (
                spin_about_center(self.mass[own], self.inertia[own], own, it) for it in (run.start, run.push, run.end))
            gained = end - start - (push[own, 3:] + np.cross(at_push, push[own, :3])).sum(axis=0)
            change, A = (run.end.velocity - run.push.velocity)[own].ravel(), np.cross(np.eye(3), arm[:, None])
            beside = run.push.velocity[own] - self.mass[own] @ run.push.velocity[own] / self.mass[own].sum()
            A = np.column_stack([A.transpose(0, 2, 1).reshape(-1, 3), beside.ravel()])
            off, speed = np.linalg.norm(A @ np.linalg.lstsq(A, change, rcond=1e-9)[0] - change), self.speed[own].max()
            most = speed * self.mass[own].sum() * (np.linalg.norm(arm, axis=1).max() + self.size[own].max())
            found.append([0.0 if mixed[own[0]] else off, speed, np.linalg.norm(gained), most])
        off, speed, gained, most = np.array(found).reshape(-1, 4).T
        yield self.of_bodies("what floats is turned as a whole", "m/s", off, ROUND_OFF * speed, first)
        yield self.of_bodies("angular momentum of what floats", "kg m^2/s", gained, ROUND_OFF * most, first)

    def _unsure(self):
        """Velocities (N,) [m/s] of bodies by how far joints may have turned them before impulses acted, which is known
        by how they fly alone; others 0."""
        run, (least, _, most) = self.run, np.linalg.eigvalsh(self.inertia).T
        own, off = np.unique(run.at), np.zeros(len(run.body))
        start = run.start.orientation[own], run.start.spin[own]
        flown = turned_freely(self.inertia[own], *start, run.elapsed[run.of[own]])
        angle = angle_between(flown, run.push.orientation[own])
        off[own] = (most / least * self.size)[own] * np.linalg.norm(start[1], axis=1) * angle
        return off

    def _strays(self):
        """How far poses (N,3) [m], (N,) [rad] at the end of substeps are from where velocities alone take them."""
        run, elapsed = self.run, self.run.elapsed[self.run.of]
        rest = run.length[run.of] - elapsed
        way = elapsed[:, None] * run.start.velocity + rest[:, None] * run.push.velocity
        q = turned_freely(self.inertia, run.push.orientation, run.push.spin, rest)
        return run.end.position - run.start.position - way, angle_between(q, run.end.orientation)

    def motion(self):
        """Bodies go where their velocities take them: x1 = x0 + h (v0 + v1) / 2, and turn likewise."""
        run, free = self.run, np.setdiff1d(self.moving, np.concatenate([self.run.a, self.run.b, self.run.at]))
        off, angle = (found[free] for found in self.strays)
        off = np.linalg.norm(off, axis=1)
        far = LENGTH * self.size[free] + ROUND_OFF * np.abs(run.end.position[free]).max(axis=1, initial=0.0)
        yield self.of_bodies("bodies that nothing touches move with their velocities", "m", off, far, free)
        # Turning is exact to third order; free bodies obey to round-off or to that.
        turn = np.linalg.norm(run.push.spin[free], axis=1) * run.length[run.of[free]]
        yield self.of_bodies("bodies that nothing touches turn with their spin", "rad", angle, 1e-9 + turn**3, free)

    def contacts(self):
        """Coulomb's law at every contact, and that no more was reported as solved than is."""
        run = self.run
        mu, restitution, law = laws.coefficients(run)
        A = laws.delassus(run, self.mass, self.inertia)
        v = laws.velocities(run, run.push.velocity, run.push.spin, run.node["v"]) + run.asked
        load, moved = run.impulse[:, 0] * A[:, 0, 0], A[:, 0, 0] > 0
        A[~moved] = np.eye(4)
        residual = laws.residuals(v, run.impulse - run.held, A, mu, law)
        residual = np.where(moved, residual, np.maximum(0.0, -v[:, 0]))
        claimed, round_off = run.steps["residual"][run.step[run.contact_of] - 1], self.round_off
        yield self.of_contacts("Coulomb's law, against the residual that the run reports", "m/s", residual,
                               claimed * (1 + 1e-6) + round_off)  # fmt: skip
        yield self.of_contacts("normal impulses push", "m/s", np.maximum(-load, 0.0), claimed + round_off)
        y = np.divide(run.impulse[:, 1:], mu, out=np.zeros_like(mu), where=mu > 0)
        inside = laws.projected(law, np.maximum(run.impulse[:, 0], 0.0), y) * mu
        beyond = np.linalg.norm(run.impulse[:, 1:3] - inside[:, :2], axis=1) * A[:, 0, 0]
        yield self.of_contacts("friction is within its cone", "m/s", beyond, claimed + round_off)
        yield from self._asked(mu, restitution)
        # Those of bodies in motion are found where they will meet, until the end of the next substep at the latest.
        size = np.minimum(self.size[run.a], self.size[run.b])
        speed = self.speed - run.length[run.of] * np.linalg.norm(run.gravity)
        moved = 2 * (speed[run.a] + speed[run.b]) * run.horizon[run.contact_of]
        yield self.of_contacts("contacts lie on the surfaces of their bodies, at their gaps", "m",
                               shapes.off_surfaces(run), BESIDE * size + moved)  # fmt: skip

    def overlaps(self):
        """Bodies are no deeper in each other than was reported, and than their turning in a substep makes them. The end
        of a step is the beginning of the next one, which reports what was met there and not foreseen."""
        run, (depth, a, b) = self.run, shapes.overlaps(self.run)
        reported, step = run.steps["overlap"], run.step[run.of[a]]
        allowed = np.maximum(reported[step - 1], reported[np.minimum(step, len(reported) - 1)]) * (1 + 1e-6)
        yield self.worst("overlap of shapes, against what is reported", "m", depth,
                         allowed + MOST_TURNED * np.minimum(self.size[a], self.size[b]), run.of[a],
                         run.names[run.body[a]], run.names[run.body[b]])  # fmt: skip

    def _asked(self, mu, restitution):
        """What is asked beyond v >= 0: that gaps may close, that bounces return, and how rows turn until the end."""
        run, of = self.run, self.run.contact_of
        h, elapsed, horizon = run.length[of], run.elapsed[of], run.horizon[of]
        none = np.zeros_like(run.node["x"])
        before, free = laws.velocities(run, *self.before, none), laws.velocities(run, *self.free, none)
        a = (free[:, 0] - before[:, 0]) / h
        fast = np.maximum(run.header["options"]["bounce_threshold"], 2 * h * np.abs(a))
        met, able = run.gap + horizon * free[:, 0] < 0, restitution[:, 0] > 0
        # What only other impulses make meet bounces, too, and is asked for nothing else that pushes bodies apart.
        hit = able & (before[:, 0] < -fast) & (met | (run.asked[:, 0] < 0))
        start = np.maximum(0.0, run.gap - elapsed * before[:, 0])
        left = np.maximum(0.0, run.gap + (h - elapsed) * free[:, 0])
        impact = np.maximum(0.0, before[:, 0] ** 2 - 2 * a * start)
        target = np.sqrt(np.maximum(0.0, restitution[:, 0] ** 2 * impact + 2 * np.minimum(a, 0.0) * left))
        # Restitution may be less, in one proportion, where the impulses do no work then.
        label, limit = self._coupled(), self.round_off + self._turning(h - elapsed, before)
        part = _part_asked(label, np.where(hit & (mu[:, 0] > 0), target, 0.0), run.asked[:, 0], limit)
        target, restitution = part * target, part[:, None] * restitution
        by_gravity = np.where(hit & (before[:, 0] < -fast), a * start - np.minimum(a, 0.0) * left, 0.0)
        yield self._work_of_bounded(label, part, before, by_gravity)
        # An open gap may close until contacts are searched for again, or until the end of the substep.
        closing = np.maximum(run.gap, 0.0) / (h - elapsed)
        # What parts may be turned round by what bounces beside it, to close as fast as that would bounce.
        best = np.zeros(len(run.body))
        np.maximum.at(best, label, restitution[:, 0])
        parting = np.where(before[:, 0] > fast, best[label] * before[:, 0], 0.0)
        low, high = np.where(hit, -target, [np.zeros_like(target), np.maximum(closing, parting)])
        # Steps with deformable bodies bring a fifth of an overlap back, at most.
        low -= np.where(~hit & np.isin(of, run.node_of), 0.2 * np.maximum(-run.gap, 0.0) / h, 0.0)
        off = np.maximum(0.0, np.maximum(low - run.asked[:, 0], run.asked[:, 0] - high))
        yield self.of_contacts("normal velocities asked for: gaps and restitution", "m/s", off, limit)
        bounced = np.where(mu[:, 0] > 0, restitution[:, 1], 0.0)[:, None] * before[:, 1:3]
        slid, turned_round = (np.linalg.norm(run.asked[:, 1:3] - v, axis=1) for v in (0.0, bounced))
        off = np.where(hit, turned_round, np.where(able & ~met, np.minimum(slid, turned_round), slid))
        yield self.of_contacts("sliding velocities asked for", "m/s", off, limit)

    def _work_of_bounded(self, label, part, before, by_gravity):
        """What the contacts of an island with less than its restitution gave, as a speed: none."""
        run = self.run
        after = laws.velocities(run, run.push.velocity, run.push.spin, np.zeros_like(run.node["x"]))
        gained = np.where(after[:, 0] > before[:, 0], after[:, 0] - before[:, 0], np.inf)
        work = 0.5 * (run.impulse * (before + after)).sum(axis=1) + run.impulse[:, 0] * by_gravity / gained
        works, loads = np.zeros((2, len(run.body)))
        np.add.at(works, label, work)
        np.add.at(loads, label, np.abs(run.impulse).sum(axis=1))
        off = np.where(part < 1.0, np.abs(works[label]) / np.where(loads[label] > 0, loads[label], 1.0), 0.0)
        options, claimed = run.header["options"], run.steps["residual"][run.step[run.contact_of] - 1]
        fastest = np.zeros(len(run.body))
        np.maximum.at(fastest, label, np.abs(before[:, :3]).max(axis=1))
        aimed = np.maximum(options.get("tolerance", 0.0), options["accuracy"] * fastest[label])
        return self.of_contacts("impacts with less restitution do no work", "m/s", off,
                                2 * claimed + aimed + self.round_off)  # fmt: skip

    def _coupled(self):
        """A number (C,) for each contact, the same for those that joints and contacts couple."""
        run, free = self.run, (self.run.other >= 0) & self.run.moves[self.run.other]
        both, own = run.moves[run.a] & run.moves[run.b], np.where(run.moves[run.a], run.a, run.b)
        a, b = np.append(run.a[both], run.at[free]), np.append(run.b[both], run.other[free])
        return connected(len(run.body), a, b)[own]

    def _turning(self, rest, before):
        """What rows may change by (C,) [m/s] until the end of the substep, by the turning of their bodies."""
        run, spin, speed = self.run, np.linalg.norm(self.before[1], axis=1), np.linalg.norm(before[:, :3], axis=1)
        sides = ((spin[side.rows], side.arm) for side in run.sides)
        total = sum(spin * (spin * np.linalg.norm(arm, axis=1) + speed) for spin, arm in sides)
        # A contact that runs round a rim is not the one that was nearest; the scheme bounds what all of it may add.
        size = np.min([np.where(run.moves[end], self.size[end], np.inf) for end in (run.a, run.b)], axis=0)
        round_rim = 2 * np.where(np.isfinite(size), size, 0.0) * (spin[run.a] + spin[run.b])
        return np.minimum(2 * rest * total + round_rim, (1 + ROUND_OFF) * MOST_TURNED * size / rest)

    def deformables(self):
        """The balances of deformable bodies, and that the frames are where they are."""
        run, number, substep = self.run, self.soft["body"], self.soft["substep"]
        first = number.size - 1 - last_of(number[::-1])
        off = np.array([run.elastic[k].uneven for k in number[first]])
        yield self.worst("nodes have the masses of their elements", "1", off, ROUND_OFF, substep[first])
        shown, frames = self.frames_of(run.step[substep[self.soft_ends]], len(run.node_frames))
        shown, off = self.soft_ends[shown], []
        for k, frame in zip(shown, frames, strict=True):
            x, f, v, after = (run.node[name][run.groups[k][1]] for name in ("x", "f", "v", "after"))
            there = x + 0.5 * run.length[substep[k]] * f + 0.5 * run.length[substep[k]] * v
            off.append(np.abs(run.nodes_at(number[k], frame) - [there, after]).max())
        yield self.worst("the frames are where the nodes are", "m, m/s", np.array(off), 0.0, substep[shown])
        for (name, unit), found, allowed in zip(soft.CHECKS, self.soft["found"].T, self.soft["allowed"].T, strict=True):
            yield self.worst(name, unit, found, allowed, substep, run.names[number])

    def joints(self):
        """Joints are no more open at the frames than was reported, and push with equal and opposite impulses."""
        run, joints = self.run, self.run.constants["joints"]
        if not joints:
            return
        names = np.array([joint["name"] for joint in joints], dtype=object)
        force, moment, size, over, substep, joint = holds.unbalanced(run)
        for name, unit, found, more in (("impulses", "N s", force, 0.0), ("moments", "N m s", moment, over)):
            yield self.worst(f"{name} of joints are equal and opposite", unit, found, ROUND_OFF * size + more, substep,
                             names[joint])  # fmt: skip
        frames = np.minimum(np.searchsorted(run.step, self.every * np.arange(len(run.frames))), len(run.step) - 1)
        for number, joint in enumerate(joints):
            # A joint that broke is reported as free of loads.
            whole = np.any(run.readings[:, number, 2:10] != 0.0, axis=1)
            opened = holds.openings(joint, run.frames[:, :, :3], run.frames[:, :, 3:7])
            for found, k, name, unit in zip(opened, (2, 3), ("gap", "angle"), ("m", "1"), strict=False):
                allowed = run.readings[:, number, k] * (1 + 1e-6) + 1e-12 * (1 + np.abs(run.frames).max())
                yield self.worst(f"{name} of joint {joint['name']}, against what is reported", unit,
                                 np.where(whole, found, 0.0), allowed, frames)  # fmt: skip


def _part_asked(label, target, asked, limit):
    """Of contacts label (C,) the part (C,) of their restitution that is asked: the largest of -asked (C,) by target
    (C,) [m/s], which is 0 where nothing bounces; 1 unless all are less by more than limit (C,) [m/s]."""
    bounces = target > 0
    speed, own = np.where(bounces, target, 1.0), label[bounces]
    part, most = np.full((2, label.max(initial=-1) + 1), -np.inf)
    np.maximum.at(part, own, (-asked / speed)[bounces])
    np.maximum.at(most, own, ((limit - asked) / speed)[bounces])
    return np.where(np.isfinite(most) & (most < 1.0), np.maximum(part, 0.0), 1.0)[label]
