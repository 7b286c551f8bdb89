"""What is checked of a run: each check compares what the files' numbers give with what they must be."""

from dataclasses import dataclass

import numpy as np

from . import joints as holds
from . import laws
from .mechanics import angle_between, inertia_in_world, spin_about_center, turned, turned_freely
from .soft import CHECKS, soft_substeps

# Parts of the largest term of a balance that round-off may leave.
ROUND_OFF = 1e-9
# Lengths are kept to this part of a body's size.
LENGTH = 1e-9
# A contact may close by this part of the smaller body in a substep while its rows turn.
MOST_TURNED = 1e-3


@dataclass(frozen=True)
class Check:
    """What one check found: `found` in `unit` at the worst place, `allowed` there, and which substep and row that is;
    passed: nowhere was more found than is allowed."""

    name: str
    unit: str
    found: float
    allowed: float
    passed: bool
    step: int = -1
    time: float = 0.0
    where: str = ""


class Checker:
    """The checks of a Run, each a method that returns Checks."""

    def __init__(self, run):
        self.run, self.moving = run, np.flatnonzero(run.moves)
        # What does not move is not weighed.
        self.mass = np.where(run.moves, run.constant("mass"), 1.0)
        self.inertia = np.where(run.moves[:, None, None], run.constant("inertia"), np.eye(3))
        self.size = np.array(run.header["size"])[run.body]
        self.size = np.where(self.size > 0, self.size, 1.0)
        self.before, self.free = laws.free_velocities(run, self.mass, self.inertia)
        # What bodies on joints are turned by closing them before impulses act is not known but for how they fly [m/s].
        flown = turned_freely(self.inertia, run.start.orientation, run.start.spin, run.elapsed[run.of])
        most = np.linalg.eigvalsh(self.inertia)
        off = most[:, 2] / most[:, 0] * self.size * np.linalg.norm(run.start.spin, axis=1)
        off *= angle_between(flown, run.push.orientation)
        self.unsure = np.where(np.isin(np.arange(len(run.body)), run.at), off, 0.0)
        speeds = [np.linalg.norm(instant.velocity, axis=1) + self.size * np.linalg.norm(instant.spin, axis=1)
                  for instant in (run.start, run.push)]  # fmt: skip
        self.speed = np.maximum(*speeds)
        for columns in (run.nodes[:, 10:13], run.nodes[:, 16:19]):
            np.maximum.at(self.speed, run.rows(run.node_of, run.nodes[:, 0]), np.linalg.norm(columns, axis=1))
        self.speed += run.length[run.of] * np.linalg.norm(run.gravity)
        self.soft = list(soft_substeps(run, laws.pushes(run)))
        self.contact_speed = np.maximum(self.speed[run.a], self.speed[run.b])

    def worst(self, name, unit, found, allowed, substep, label=lambda i: ""):
        """The Check of numbers (n,) with what is allowed (n,); substep (n,); label(i): what number i belongs to."""
        run = self.run
        if len(found) == 0:
            return Check(name, unit, 0.0, 0.0, True)
        allowed = np.broadcast_to(allowed, found.shape)
        bad = ~(found <= allowed)
        ratio = np.where(np.isfinite(found), found / np.maximum(allowed, 1e-300), np.inf)
        i = int(np.argmax(np.where(bad, np.inf, ratio) if bad.any() and not np.isfinite(found).all() else ratio))
        s = int(substep[i])
        return Check(name, unit, float(found[i]), float(allowed[i]), not bad.any(), int(run.step[s]),
                     float(run.time[s]), label(i))  # fmt: skip

    def of_bodies(self, name, unit, found, allowed, rows):
        """The Check of numbers (n,) that belong to rows (n,) of bodies."""
        return self.worst(name, unit, found, allowed, self.run.of[rows], lambda i: self._body(rows[i]))

    def of_contacts(self, name, unit, found, allowed):
        """The Check of numbers (C,), one a contact."""
        a, b = self.run.a, self.run.b
        return self.worst(name, unit, found, allowed, self.run.contact_of,
                          lambda i: f"{self._body(a[i])} and {self._body(b[i])}")  # fmt: skip

    def _body(self, row):
        return self.run.constants["names"][self.run.body[row]]

    def ends_of_steps(self):
        """Rows (n,) of bodies that move, in the last substep that each has of a step."""
        run, rows = self.run, self.moving
        substep = run.of[rows]
        order = np.lexsort(((run.time + run.length)[substep], run.body[rows], run.step[substep]))
        rows = rows[order]
        keys = np.stack([run.step[run.of[rows]], run.body[rows]])
        return rows[np.append(np.any(np.diff(keys) != 0, axis=0), True)[: len(rows)]]

    def chain(self):
        """Every substep begins where the body's last one ended, and the frames are those states."""
        run, start, ends = self.run, self.run.time[self.run.of], (self.run.time + self.run.length)[self.run.of]
        rows = self.moving[np.lexsort((start[self.moving], run.body[self.moving]))]
        follows = run.body[rows[:-1]] == run.body[rows[1:]]
        first, second = rows[:-1][follows], rows[1:][follows]
        gap = np.abs(run.end.columns[first] - run.start.columns[second]).max(axis=1, initial=0.0)
        late = np.abs(ends[first] - start[second])
        if run.header["options"]["sleeping"]:
            # A body that is put to rest begins again without the velocity that it had.
            gap[np.any(run.start.velocity[second] != run.end.velocity[first], axis=1)] = 0.0
            late[:] = 0.0
        yield self.of_bodies("every substep begins where the last one ended", "m, m/s, 1", gap, 0.0, second)
        yield self.of_bodies("no time is left out", "s", late, ROUND_OFF * np.maximum(start[second], 1e-3), second)
        rows, every = self.ends_of_steps(), int(run.header["options"]["steps_per_frame"])
        frame, rest = np.divmod(run.step[run.of[rows]], every)
        shown = (rest == 0) & (frame < len(run.frames))
        frame, rows = frame[shown], rows[shown]
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
        strays, turn = self._strays()
        far = self.size + np.linalg.norm(run.end.position, axis=1)
        group, mixed = holds.floating(run, run.moves & (strays > 1e-3 * ROUND_OFF * far))
        alone = moves[group[moves] < 0]
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

    def _strays(self):
        """How far poses (N,) [m], [rad] at the end of substeps are from where velocities alone take them."""
        run, elapsed = self.run, self.run.elapsed[self.run.of]
        rest = run.length[run.of] - elapsed
        way = elapsed[:, None] * run.start.velocity + rest[:, None] * run.push.velocity
        q = turned_freely(self.inertia, run.push.orientation, run.push.spin, rest)
        off = np.linalg.norm(run.end.position - run.start.position - way, axis=1)
        return off, angle_between(q, run.end.orientation)

    def motion(self):
        """Bodies go where their velocities take them: x1 = x0 + h (v0 + v1) / 2, and turn likewise."""
        run, free = self.run, np.setdiff1d(self.moving, np.concatenate([self.run.a, self.run.b, self.run.at]))
        off, angle = (found[free] for found in self._strays())
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
        v = laws.velocities(run, run.push.velocity, run.push.spin, run.nodes[:, 16:19]) + run.asked
        load, moved = run.impulse[:, 0] * A[:, 0, 0], A[:, 0, 0] > 0
        A[~moved] = np.eye(4)
        residual = laws.residuals(v, run.impulse - run.held, A, mu, law)
        residual = np.where(moved, residual, np.maximum(0.0, -v[:, 0]))
        claimed, round_off = run.steps["residual"][run.step[run.contact_of] - 1], ROUND_OFF * self.contact_speed
        yield self.of_contacts("Coulomb's law, against the residual that the run reports", "m/s", residual,
                               claimed * (1 + 1e-6) + round_off)  # fmt: skip
        yield self.of_contacts("normal impulses push", "m/s", np.maximum(-load, 0.0), claimed + round_off)
        y = np.divide(run.impulse[:, 1:], mu, out=np.zeros_like(mu), where=mu > 0)
        inside = laws.projected(law, np.maximum(run.impulse[:, 0], 0.0), y) * mu
        beyond = np.linalg.norm(run.impulse[:, 1:3] - inside[:, :2], axis=1) * A[:, 0, 0]
        yield self.of_contacts("friction is within its cone", "m/s", beyond, claimed + round_off)
        yield from self._asked(mu, restitution)

    def _asked(self, mu, restitution):
        """What is asked beyond v >= 0: that gaps may close, that bounces return, and how rows turn until the end."""
        run, of = self.run, self.run.contact_of
        h, elapsed, horizon = run.length[of], run.elapsed[of], run.horizon[of]
        none = np.zeros((len(run.nodes), 3))
        before, free = laws.velocities(run, *self.before, none), laws.velocities(run, *self.free, none)
        a = (free[:, 0] - before[:, 0]) / h
        fast = np.maximum(run.header["options"]["bounce_threshold"], 2 * h * np.abs(a))
        hit = (restitution[:, 0] > 0) & (before[:, 0] < -fast) & (run.gap + horizon * free[:, 0] < 0)
        impact = np.maximum(0.0, before[:, 0] ** 2 - 2 * a * np.maximum(0.0, run.gap - elapsed * before[:, 0]))
        left = np.maximum(0.0, run.gap + (h - elapsed) * free[:, 0])
        target = np.sqrt(np.maximum(0.0, restitution[:, 0] ** 2 * impact + 2 * np.minimum(a, 0.0) * left))
        # An open gap may close until contacts are searched for again, or until the end of the substep.
        low, high = np.where(hit, -target, [np.zeros_like(target), np.maximum(run.gap, 0.0) / (h - elapsed)])
        # Steps with deformable bodies bring a fifth of an overlap back, at most.
        low[run.with_nodes] -= np.where(hit, 0.0, 0.2 * np.maximum(-run.gap, 0.0) / h)[run.with_nodes]
        off = np.maximum(0.0, np.maximum(low - run.asked[:, 0], run.asked[:, 0] - high))
        limit = ROUND_OFF * self.contact_speed + self._turning(h - elapsed, before)
        yield self.of_contacts("normal velocities asked for: gaps and restitution", "m/s", off, limit)
        bounced = np.where(hit & (mu[:, 0] > 0), restitution[:, 1], 0.0)[:, None] * before[:, 1:3]
        off = np.linalg.norm(run.asked[:, 1:3] - bounced, axis=1)
        yield self.of_contacts("sliding velocities asked for", "m/s", off, limit)

    def _turning(self, rest, before):
        """What rows may change by (C,) [m/s] until the end of the substep, by the turning of their bodies."""
        run, spin, speed = self.run, np.linalg.norm(self.before[1], axis=1), np.linalg.norm(before[:, :3], axis=1)
        total = sum(spin[rows] * (spin[rows] * np.linalg.norm(arm, axis=1) + speed) for rows, _, arm in laws.sides(run))
        # A contact that runs round a rim is not the one that was nearest: the scheme bounds what that may add.
        size = np.minimum(self.size[run.a], self.size[run.b])
        most = np.minimum(MOST_TURNED * size / run.length[run.contact_of], 2 * size * (spin[run.a] + spin[run.b]))
        return 2 * rest * total + (1 + ROUND_OFF) * most

    def deformables(self):
        """The balances of deformable bodies, and that the frames are where they are."""
        run, found = self.run, np.array([checks for _, _, checks, _ in self.soft]).reshape(-1, len(CHECKS), 2)
        numbers, substeps = np.array([one[:2] for one in self.soft], dtype=int).reshape(-1, 2).T
        first = dict(zip(numbers[::-1], substeps[::-1], strict=True))
        off = np.array([run.elastic[number].uneven for number in first])
        yield self.worst("nodes have the masses of their elements", "1", off, ROUND_OFF, np.array(list(first.values())))
        ends = {(number, run.step[s]): (s, numbers) for number, s, _, numbers in self.soft}
        every, shown = int(run.header["options"]["steps_per_frame"]), len(run.node_frames)
        ends = {key: one for key, one in ends.items() if key[1] % every == 0 and key[1] // every < shown}
        off = np.array([np.abs(run.nodes_at(number, step // every) - one["nodes"]).max()
                        for (number, step), (_, one) in ends.items()])  # fmt: skip
        at = np.array([s for s, _ in ends.values()])
        yield self.worst("the frames are where the nodes are", "m, m/s", off, 0.0, at)
        for k, (name, unit) in enumerate(CHECKS):
            yield self.worst(name, unit, *found[:, k].T, substeps, lambda i: run.constants["names"][numbers[i]])

    def joints(self):
        """Joints are no more open at the frames than was reported, and push with equal and opposite impulses."""
        run, joints = self.run, self.run.constants["joints"]
        if not joints:
            return
        force, moment, size, over, substep, joint = holds.unbalanced(run)
        for name, unit, found, more in (("impulses", "N s", force, 0.0), ("moments", "N m s", moment, over)):
            yield self.worst(f"{name} of joints are equal and opposite", unit, found, ROUND_OFF * size + more, substep,
                             lambda i: joints[joint[i]]["name"])  # fmt: skip
        every, last = int(run.header["options"]["steps_per_frame"]), len(run.step) - 1
        frames = np.minimum(np.searchsorted(run.step, every * np.arange(len(run.frames))), last)
        for number, joint in enumerate(joints):
            # A joint that broke is reported as free of loads.
            whole = np.any(run.readings[:, number, 2:10] != 0.0, axis=1)
            opened = holds.openings(joint, run.frames[:, :, :3], run.frames[:, :, 3:7])
            for found, k, name, unit in zip(opened, (2, 3), ("gap", "angle"), ("m", "1"), strict=False):
                allowed = run.readings[:, number, k] * (1 + 1e-6) + 1e-12 * (1 + np.abs(run.frames).max())
                yield self.worst(f"{name} of joint {joint['name']}, against what is reported", unit,
                                 np.where(whole, found, 0.0), allowed, frames)  # fmt: skip
