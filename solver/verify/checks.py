"""What is checked of a run: each check compares what the files' numbers give with what they must be."""

from dataclasses import dataclass

import numpy as np

from . import joints as holds
from . import laws
from .mechanics import angle_between, inertia_in_world, kinetic, potential, spin_about_center, turned, turned_freely

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


def worst(run, name, unit, found, allowed, substep, label):
    """The Check of numbers (n,) with what is allowed (n,); substep (n,); label(i): what number i belongs to."""
    if len(found) == 0:
        return Check(name, unit, 0.0, 0.0, True)
    allowed = np.broadcast_to(allowed, found.shape)
    bad = ~(found <= allowed)
    ratio = np.where(np.isfinite(found), found / np.maximum(allowed, 1e-300), np.inf)
    i = int(np.argmax(np.where(bad, np.inf, ratio) if bad.any() and not np.isfinite(found).all() else ratio))
    s = int(substep[i])
    return Check(name, unit, float(found[i]), float(allowed[i]), not bad.any(), int(run.step[s]), float(run.time[s]),
                 label(i))  # fmt: skip


class Checker:
    """The checks of a Run, each a method that returns Checks."""

    def __init__(self, run):
        self.run, names = run, run.constants["names"]
        self.names = names
        self.mass, self.inertia = run.constant("mass"), run.constant("inertia")
        still = ~run.moves
        # What does not move is not weighed.
        self.mass = np.where(still, 1.0, self.mass)
        self.inertia[still] = np.eye(3)
        self.size = np.array(run.header["size"])[run.body]
        self.size = np.where(self.size > 0, self.size, 1.0)
        self.gravity = np.array(run.constants["gravity"], dtype=float)
        self.fall = run.length[run.of] * np.linalg.norm(self.gravity)
        self.before, self.free = laws.free_velocities(run, self.mass, self.inertia)
        speed = np.linalg.norm(run.start.velocity, axis=1) + self.size * np.linalg.norm(run.start.spin, axis=1)
        after = np.linalg.norm(run.push.velocity, axis=1) + self.size * np.linalg.norm(run.push.spin, axis=1)
        self.speed = np.maximum(speed, after) + self.fall

    def _body(self, i):
        return self.names[self.run.body[i]]

    def _pair(self, i):
        return f"{self._body(self.run.a[i])} and {self._body(self.run.b[i])}"

    def chain(self):
        """Every substep begins where the body's last one ended, and the frames are those states."""
        run = self.run
        rows = np.flatnonzero(run.moves)
        rows = rows[np.lexsort((run.time[run.of[rows]], run.body[rows]))]
        first, second = rows[:-1], rows[1:]
        follows = run.body[first] == run.body[second]
        first, second = first[follows], second[follows]
        gap = np.zeros(len(first))
        for name in ("position", "orientation", "velocity", "spin"):
            apart = getattr(run.end, name)[first] - getattr(run.start, name)[second]
            gap = np.maximum(gap, np.abs(apart).max(axis=1, initial=0.0))
        late = np.abs(run.time[run.of[first]] + run.length[run.of[first]] - run.time[run.of[second]])
        if run.header["options"]["sleeping"]:
            # A body that is put to rest begins again without the velocity that it had.
            gap = np.where(np.any(run.start.velocity[second] != run.end.velocity[first], axis=1), 0.0, gap)
            late[:] = 0.0
        yield worst(run, "every substep begins where the last one ended", "m, m/s, 1", gap, 0.0, run.of[second],
                    lambda i: self._body(second[i]))  # fmt: skip
        yield worst(run, "no time is left out", "s", late, ROUND_OFF * np.maximum(run.time[run.of[second]], 1e-3),
                    run.of[second], lambda i: self._body(second[i]))  # fmt: skip
        yield self._frames()

    def _frames(self):
        run, every = self.run, int(self.run.header["options"]["steps_per_frame"])
        last = {}
        for row in np.flatnonzero(run.moves):
            last[run.step[run.of[row]], run.body[row]] = row
        found, substeps, rows = [], [], []
        for (step, body), row in last.items():
            if step % every == 0 and step // every < len(run.frames):
                frame = run.frames[step // every, 1 + 13 * body : 14 + 13 * body]
                end = np.concatenate([run.end.position[row], run.end.orientation[row]])
                found.append(np.abs(frame[:7] - end).max())
                substeps.append(run.of[row])
                rows.append(row)
        return worst(run, "the frames are the states of the substeps", "m, 1", np.array(found), 0.0, substeps,
                     lambda i: self._body(rows[i]))  # fmt: skip

    def momentum(self):
        """m v1 = d m v0 + h m g + sum of impulses; I w1 = d I w0 + sum of moments where the impulses act."""
        run = self.run
        total, size = np.zeros((len(run.body), 6)), np.zeros(len(run.body))
        for rows, wrench in [*zip((run.a, run.b), laws.wrenches(run, run.impulse), strict=True), (run.at, run.wrench)]:
            np.add.at(total, rows, wrench)
            both = np.abs(wrench[:, :3]).sum(axis=1), np.abs(wrench[:, 3:]).sum(axis=1) / self.size[rows]
            np.add.at(size, rows, sum(both))
        moves = np.flatnonzero(run.moves)
        velocity = run.push.velocity - self.free[0] - total[:, :3] / self.mass[:, None]
        inertia = inertia_in_world(self.inertia, run.push.orientation)
        spin = run.push.spin - self.free[1] - np.linalg.solve(inertia, total[:, 3:, None])[..., 0]
        least = np.linalg.eigvalsh(self.inertia)[:, 0]
        scale = self.speed + size * (1.0 / self.mass + self.size**2 / least)
        for name, defect in (("momentum", np.linalg.norm(velocity, axis=1)),
                             ("angular momentum", self.size * np.linalg.norm(spin, axis=1))):  # fmt: skip
            yield worst(run, f"{name} of every body", "m/s", defect[moves], ROUND_OFF * scale[moves], run.of[moves],
                        lambda i: self._body(moves[i]))  # fmt: skip
        same = np.abs(run.end.velocity - run.push.velocity).max(axis=1)
        held = turned(inertia_in_world(self.inertia, run.end.orientation), run.end.spin)
        given = turned(inertia, run.push.spin)
        # A pose that is moved out of an overlap takes its spin with it.
        _, off = self._strays()
        carried = 1.1 * off * np.linalg.norm(given, axis=1) + ROUND_OFF * self.speed * self.mass * self.size
        group = holds.floating(run)
        alone = np.flatnonzero(run.moves & (group < 0))
        yield worst(run, "velocities stay after the impulses", "m/s", same[alone], ROUND_OFF * self.speed[alone],
                    run.of[alone], lambda i: self._body(alone[i]))  # fmt: skip
        yield worst(run, "angular momenta stay after the impulses", "kg m^2/s",
                    np.linalg.norm(held - given, axis=1)[alone], carried[alone], run.of[alone],
                    lambda i: self._body(alone[i]))  # fmt: skip
        yield from self._floating(group)

    def _floating(self, group):
        """What floats on joints, group (N,), is turned as a whole by closing; contacts alone change its spin."""
        run, push, found = self.run, np.zeros((len(group), 6)), []
        for rows, wrench in zip((run.a, run.b), laws.wrenches(run, run.impulse), strict=True):
            np.add.at(push, rows, wrench)
        labels = [] if np.any(run.constants["damping"]) else [int(k) for k in np.unique(group) if k >= 0]
        for own in (np.flatnonzero(group == label) for label in labels):
            (_, start), (at_push, _), (arm, end) = (
                spin_about_center(self.mass[own], self.inertia[own], own, it) for it in (run.start, run.push, run.end))
            gained = end - start - (push[own, 3:] + np.cross(at_push, push[own, :3])).sum(axis=0)
            change, A = (run.end.velocity - run.push.velocity)[own].ravel(), np.cross(np.eye(3), arm[:, None])
            A = A.transpose(0, 2, 1).reshape(-1, 3)
            off, speed = np.linalg.norm(A @ np.linalg.lstsq(A, change, rcond=1e-9)[0] - change), self.speed[own].max()
            most = speed * self.mass[own].sum() * (np.linalg.norm(arm, axis=1).max() + self.size[own].max())
            found.append([off, speed, np.linalg.norm(gained), most])
        off, speed, gained, most = np.array(found).reshape(-1, 4).T
        given = run.of[np.array(labels, dtype=int)], lambda i: self._body(labels[i])
        yield worst(run, "what floats on joints is turned as a whole", "m/s", off, ROUND_OFF * speed, *given)
        yield worst(run, "angular momentum of what floats on joints", "kg m^2/s", gained, ROUND_OFF * most, *given)

    def _strays(self):
        """How far poses (N,) [m], [rad] at the end of substeps are from where velocities alone take them."""
        run = self.run
        elapsed, length = run.elapsed[run.of], run.length[run.of]
        rest = length - elapsed
        way = elapsed[:, None] * run.start.velocity + rest[:, None] * run.push.velocity
        off = np.linalg.norm(run.end.position - run.start.position - way, axis=1)
        q = turned_freely(self.inertia, run.push.orientation, run.push.spin, rest)
        return off, angle_between(q, run.end.orientation)

    def motion(self):
        """Bodies go where their velocities take them: x1 = x0 + h (v0 + v1) / 2, and turn likewise."""
        run = self.run
        off, angle = self._strays()
        pushed = np.zeros(len(run.body), dtype=bool)
        for rows in (run.a, run.b, run.at):
            pushed[rows] = True
        # Turning is exact to third order; free bodies obey to round-off or to that.
        turn = np.linalg.norm(run.push.spin, axis=1) * run.length[run.of]
        free = np.flatnonzero(run.moves & ~pushed)
        yield worst(run, "bodies that nothing touches move with their velocities", "m", off[free],
                    LENGTH * self.size[free] + ROUND_OFF * np.abs(run.end.position[free]).max(axis=1), run.of[free],
                    lambda i: self._body(free[i]))  # fmt: skip
        yield worst(run, "bodies that nothing touches turn with their spin", "rad", angle[free],
                    1e-9 + turn[free] ** 3, run.of[free], lambda i: self._body(free[i]))  # fmt: skip

    def contacts(self):
        """Coulomb's law at every contact, and that no more was reported as solved than is."""
        run = self.run
        mu, restitution, law = laws.coefficients(run)
        A = laws.delassus(run, self.mass, self.inertia)
        v = laws.velocities(run, run.push.velocity, run.push.spin) + run.asked
        moved = A[:, 0, 0] > 0
        A[~moved] = np.eye(4)
        residual = laws.residuals(run, v, run.impulse - run.held, A, mu, law)
        residual = np.where(moved, residual, np.maximum(0.0, -v[:, 0]))
        claimed = run.steps["residual"][run.step[run.contact_of] - 1]
        speed = np.maximum(self.speed[run.a], self.speed[run.b])
        yield worst(run, "Coulomb's law, against the residual that the run reports", "m/s", residual,
                    claimed * (1 + 1e-6) + ROUND_OFF * speed, run.contact_of, self._pair)  # fmt: skip
        load = run.impulse[:, 0] * A[:, 0, 0]
        aim = claimed + ROUND_OFF * speed
        yield worst(run, "normal impulses push", "m/s", np.maximum(-load, 0.0), aim, run.contact_of, self._pair)
        y = np.divide(run.impulse[:, 1:], mu, out=np.zeros_like(mu), where=mu > 0)
        inside = laws.projected(law, np.maximum(run.impulse[:, 0], 0.0), y) * mu
        beyond = np.linalg.norm(run.impulse[:, 1:3] - inside[:, :2], axis=1) * A[:, 0, 0]
        yield worst(run, "friction is within its cone", "m/s", beyond, aim, run.contact_of, self._pair)
        yield from self._asked(mu, restitution)

    def _asked(self, mu, restitution):
        """What is asked beyond v >= 0: that gaps may close, that bounces return, and how rows turn until the end."""
        run = self.run
        substep = run.contact_of
        h, elapsed, horizon = run.length[substep], run.elapsed[substep], run.horizon[substep]
        before, free = laws.velocities(run, *self.before), laws.velocities(run, *self.free)
        threshold = run.header["options"]["bounce_threshold"]
        a = (free[:, 0] - before[:, 0]) / h
        fast = np.maximum(threshold, 2 * h * np.abs(a))
        hit = (restitution[:, 0] > 0) & (before[:, 0] < -fast) & (run.gap + horizon * free[:, 0] < 0)
        impact = np.maximum(0.0, before[:, 0] ** 2 - 2 * a * np.maximum(0.0, run.gap - elapsed * before[:, 0]))
        left = np.maximum(0.0, run.gap + (h - elapsed) * free[:, 0])
        target = np.sqrt(np.maximum(0.0, restitution[:, 0] ** 2 * impact + 2 * np.minimum(a, 0.0) * left))
        # An open gap may close until contacts are searched for again, or until the end of the substep.
        open_gap = np.maximum(run.gap, 0.0)
        low, high = np.where(hit, -target, 0.0), np.where(hit, -target, open_gap / (h - elapsed))
        off = np.maximum(0.0, np.maximum(low - run.asked[:, 0], run.asked[:, 0] - high))
        limit = ROUND_OFF * np.maximum(self.speed[run.a], self.speed[run.b]) + self._turning(h - elapsed, before)
        name = "normal velocities asked for: gaps and restitution"
        yield worst(run, name, "m/s", off, limit, substep, self._pair)
        bounced = np.where(hit & (mu[:, 0] > 0), restitution[:, 1], 0.0)[:, None] * before[:, 1:3]
        off = np.linalg.norm(run.asked[:, 1:3] - bounced, axis=1)
        yield worst(run, "sliding velocities asked for", "m/s", off, limit, substep, self._pair)

    def _turning(self, rest, before):
        """What rows may change by (C,) [m/s] until the end of the substep, by the turning of their bodies and by the
        way of the contact since the last substep, which it goes on."""
        run = self.run
        spin = np.linalg.norm(self.before[1], axis=1)
        total = np.zeros(len(rest))
        for rows, arm in zip((run.a, run.b), laws.arms(run), strict=True):
            total += spin[rows] * (spin[rows] * np.linalg.norm(arm, axis=1) + np.linalg.norm(before[:, :3], axis=1))
        slid, turned_by, ago = self._way_of_contacts()
        both = spin[run.a] + spin[run.b]
        moved = (both * slid + turned_by * np.linalg.norm(before[:, :3], axis=1)) / ago
        # A contact that runs round a rim is not the one that was nearest: the scheme bounds what that may add.
        size = np.minimum(self.size[run.a], self.size[run.b])
        most = np.minimum(MOST_TURNED * size / run.length[run.contact_of], 2 * both * size)
        return 2 * rest * (total + moved) + (1 + ROUND_OFF) * most

    def _way_of_contacts(self):
        """How far (C,) [m] each contact is from the nearest one of its bodies in the substep before, how much its
        normal differs from that one's, and how long ago that was [s]; zero for new ones."""
        run, last = self.run, {}
        way, turn, ago = np.zeros(len(run.gap)), np.zeros(len(run.gap)), np.ones(len(run.gap))
        pairs = np.column_stack([run.contact_of, run.body[run.a], run.body[run.b]])
        starts = np.flatnonzero(np.any(np.diff(pairs, axis=0, prepend=-1) != 0, axis=1))
        for rows in np.split(np.arange(len(pairs)), starts[1:]) if len(pairs) else ():
            key, now = tuple(pairs[rows[0], 1:]), run.time[pairs[rows[0], 0]]
            if key in last and now > last[key][1]:
                old, then = last[key]
                apart = np.linalg.norm(run.point[rows, None] - run.point[old], axis=2)
                nearest = np.argmin(apart, axis=1)
                way[rows], ago[rows] = apart[np.arange(len(rows)), nearest], now - then
                turn[rows] = np.linalg.norm(run.normal[rows] - run.normal[old][nearest], axis=1)
            last[key] = rows, now
        return way, turn, ago

    def joints(self):
        """Joints are no more open at the frames than was reported, and push with equal and opposite impulses."""
        run, joints = self.run, self.run.constants["joints"]
        if not joints:
            return
        force, moment, size, over, substep, joint = holds.unbalanced(run, holds.mean_places(run, self.gravity))
        for name, unit, found, more in (("impulses", "N s", force, 0.0), ("moments", "N m s", moment, over)):
            yield worst(run, f"{name} of joints are equal and opposite", unit, found, ROUND_OFF * size + more, substep,
                        lambda i: joints[joint[i]]["name"])  # fmt: skip
        bodies = run.frames[:, 1:].reshape(len(run.frames), -1, 13)
        every, last = int(run.header["options"]["steps_per_frame"]), len(run.step) - 1
        frames = np.minimum(np.searchsorted(run.step, every * np.arange(len(run.frames))), last)
        for number, joint in enumerate(joints):
            opened = holds.openings(joint, bodies[:, :, :3], bodies[:, :, 3:7])
            if opened is None:
                continue
            # A joint that broke is reported as free of loads.
            whole = np.any(run.readings[:, number, 2:10] != 0.0, axis=1)
            for k, name, unit in ((0, "gap", "m"), (1, "angle", "1")):
                claimed = run.readings[:, number, 2 + k]
                yield worst(run, f"{name} of joint {joint['name']}, against what is reported", unit,
                            np.where(whole, opened[k], 0.0), claimed * (1 + 1e-6) + 1e-12 * (1 + np.abs(bodies).max()),
                            frames, lambda i: "")  # fmt: skip

    def energy(self):
        """Energies and works as the run reports them, and that what is left is nothing."""
        run, steps = self.run, self.run.steps
        count = len(steps["time"])
        works = {name: np.zeros(count) for name in ("impact_loss", "friction_work", "joint_work", "lift", "change")}
        before = laws.velocities(run, *self.free)
        fall = np.where(run.moves[:, None], run.length[run.of][:, None] * self.gravity, 0.0)
        before -= laws.velocities(run, fall, np.zeros_like(fall))
        mean = 0.5 * (before + laws.velocities(run, run.push.velocity, run.push.spin))
        at = run.step[run.contact_of] - 1
        moved = run.moves[run.a] | run.moves[run.b]
        np.add.at(works["impact_loss"], at, np.where(moved, run.impulse[:, 0] * mean[:, 0], 0.0))
        np.add.at(works["friction_work"], at,
                  np.where(moved, np.einsum("ci,ci->c", run.impulse[:, 1:], mean[:, 1:]), 0.0))  # fmt: skip
        mean = 0.5 * np.concatenate([self.free[0] - fall + run.push.velocity, self.free[1] + run.push.spin], axis=1)
        np.add.at(works["joint_work"], run.step[run.joint_of] - 1, np.einsum("ei,ei->e", run.wrench, mean[run.at]))
        given, joints, elsewhere = self._given(count)
        works["joint_work"] -= joints
        moves = np.flatnonzero(run.moves)
        change = self._energy(run.end) - self._energy(run.start)
        np.add.at(works["change"], run.step[run.of[moves]] - 1, change[moves])
        scale = np.zeros(count)
        np.add.at(scale, run.step[run.of[moves]] - 1, (self.mass * self.speed**2)[moves])
        for name in ("impact_loss", "friction_work", "joint_work"):
            allowed = ROUND_OFF * scale + (elsewhere if name == "joint_work" else 0.0)
            yield self._claim(f"{name} as reported", np.abs(works[name] - steps[name]), allowed)
        yield self._levels(scale)
        damped = self._damping(count)
        rest = works["change"] - sum(works[name] for name in ("impact_loss", "friction_work", "joint_work")) - damped
        rest -= given
        yield self._claim("energy changes by the works reported", np.abs(rest - steps["stabilisation_work"]),
                          10 * ROUND_OFF * scale + np.abs(self._heights(count)))  # fmt: skip

    def _given(self, count):
        """Work (T,) [J] that bodies on given paths do on others, by contacts and joints, by joints alone, and how
        far off the latter may be because joints push at their mean places."""
        run = self.run
        given, joints, elsewhere = np.zeros(count), np.zeros(count), np.zeros(count)
        places = holds.mean_places(run, self.gravity)
        for rows, wrench in zip((run.a, run.b), laws.wrenches(run, run.impulse), strict=True):
            own = np.einsum("ci,ci->c", wrench[:, :3], run.push.velocity[rows])
            own += np.einsum("ci,ci->c", wrench[:, 3:], run.push.spin[rows])
            np.add.at(given, run.step[run.contact_of] - 1, np.where(run.moves[rows], 0.0, -own))
        ends = np.array([joint["ends"] for joint in run.constants["joints"]]).reshape(-1, 2)
        for side in range(2):
            body = ends[run.joint, side]
            here = np.flatnonzero(body >= 0)
            rows = run.rows(run.joint_of[here], body[here])
            here, rows = here[~run.moves[rows]], rows[~run.moves[rows]]
            moment = run.wrench[here, 3:] + np.cross(
                run.push.position[run.at[here]] - run.push.position[rows], run.wrench[here, :3]
            )
            work = np.einsum("ei,ei->e", run.wrench[here, :3], run.push.velocity[rows])
            work += np.einsum("ei,ei->e", moment, run.push.spin[rows])
            np.add.at(joints, run.step[run.joint_of[here]] - 1, work)
            off = places[here] * np.linalg.norm(run.wrench[here, :3], axis=1)
            off *= np.linalg.norm(run.push.spin[rows], axis=1)
            np.add.at(elsewhere, run.step[run.joint_of[here]] - 1, off)
        return given + joints, joints, elsewhere

    def _heights(self, count):
        """Round-off of the potential energies, which are large far from the origin (T,) [J]."""
        run, out = self.run, np.zeros(count)
        moves = np.flatnonzero(run.moves)
        level = self.mass * np.linalg.norm(self.gravity) * np.abs(run.end.position).max(axis=1)
        np.add.at(out, run.step[run.of[moves]] - 1, 1e-14 * level[moves])
        return out

    def _damping(self, count):
        """Energy (T,) [J] that damping takes of the motion."""
        run, out = self.run, np.zeros(count)
        moves = np.flatnonzero(run.moves)
        inertia = inertia_in_world(self.inertia, run.push.orientation)
        d = np.exp(-run.constant("damping") * run.length[run.of][:, None])
        spin = 0.5 * np.einsum("ni,nij,nj->n", self.before[1], inertia, self.before[1])
        work = (d[:, 1] ** 2 - 1) * spin
        fall = run.length[run.of][:, None] * self.gravity
        v0, v1 = run.start.velocity, d[:, :1] * run.start.velocity
        work += 0.5 * self.mass * np.einsum("ni,ni->n", v1 - v0, v1 + v0 + fall)
        np.add.at(out, run.step[run.of[moves]] - 1, work[moves])
        return out

    def _energy(self, instant):
        return kinetic(self.mass, self.inertia, instant) + potential(self.mass, self.gravity, instant.position)

    def _levels(self, scale):
        """Kinetic energy at the ends of steps as reported."""
        run, count = self.run, len(scale)
        energy, ends = np.zeros(count), run.time + run.length
        last = {}
        for row in np.flatnonzero(run.moves):
            key = run.step[run.of[row]] - 1, run.body[row]
            if key not in last or ends[run.of[row]] >= ends[run.of[last[key]]]:
                last[key] = row
        own = kinetic(self.mass, self.inertia, run.end)
        for (step, _), row in last.items():
            energy[step] += own[row]
        return self._claim("kinetic energy as reported", np.abs(energy - run.steps["kinetic"]), ROUND_OFF * scale)

    def _claim(self, name, found, allowed):
        """The Check of numbers (T,) one a step."""
        substep = np.searchsorted(self.run.step, np.arange(1, 1 + len(found)))
        return worst(self.run, name, "J", found, np.broadcast_to(allowed, found.shape) + 1e-300,
                     np.minimum(substep, len(self.run.step) - 1), lambda i: "")  # fmt: skip
