"""Quiet steps: nothing hits, turns or flies far, nothing is pushed out of overlap, and one solve is enough.

Most steps of what stands or slides are such. They are made in one call of a kernel, many in turn (loop.py). The bits
are those of the general way (../substeps.py), which makes every step that turns out not to be quiet, from its start, or
in halves where the try has shown that joints ask for them.
"""

import time
from dataclasses import replace
from functools import cache

import numpy as np

from ... import methods
from ...collision.contact_generators import DEFAULT
from ...collision.contacts import ContactSet
from ...collision.surface.mesh_pool import MeshPool
from ...dynamics.contact_step import StepTimes
from ...dynamics.goals import goal_numbers
from ...dynamics.impulses import BEFORE_SEARCH, LATE_OVERLAP, SEARCH_MARGIN
from ...dynamics.jointed import tension
from ...dynamics.jointed.readings import WIDTH, read_of
from ...dynamics.jointed.state import joints_of
from ...dynamics.projection import limits_of
from ...jit import get_ready, is_compiled
from ...mechanisms import off
from ...methods.accelerated.plain_kernels import LARGEST
from ...problem import ContactProblem
from ...state import State
from ..body_groups import whole_group
from ..step_parts import Part
from ..step_report import StepReport
from ..step_review import AGAIN, GROWN, LOCKED, ROOM, STAYS, TURNS, UNSEEN, moving_size
from .loop import quiet_steps
from .made import Made, all_asleep, last_frame, times_after, with_sleepers
from .rest import nobody, rest_for
from .search import Known
from .world import COLUMNS, COUNTED, Bounds, JointsNow, Moment, Search, Solving, World

# Most steps of one call, and the time [s] that a call may take: cancel and progress wait for it.
MOST, PATIENCE = 256, 0.02

_OTHER = np.array(StepReport(time=0.0, contact_count=0, overlap=0.0, kinetic=0.0, potential=0.0, friction_work=0.0,
                             impact_loss=0.0, stabilisation_work=0.0, residual=0.0, iterations=0, converged=True,
                             solve_s=0.0).numbers, dtype=float)  # fmt: skip
_PLACES = [StepReport._fields.index(name) for name in COLUMNS]
_TIME, _SOLVE = (StepReport._fields.index(name) for name in ("time", "solve_s"))


@cache
def no_meshes():
    """The MeshPool of scenes without meshes, for which nothing is loaded that makes one."""
    real, whole, single = float, np.int32, np.float32
    columns = ((real, 16), (whole, 10), (real, 15), (real, 3), (whole,), (real, 4), (whole,), (real, 8), (whole,),
               (whole, 8), (single, 6, 8), (whole, 4), (real,), (real, 2))  # fmt: skip
    return MeshPool(*(np.empty((0, *width), kind) for kind, *width in columns))


class QuietSteps:
    """Tries to make steps of the midpoint scheme as quiet ones; sleep: Sleep of the run's bodies, None for none."""

    def __init__(self, sleep=None):
        self.sleep = sleep
        self._group = None
        # How many steps to leave to the general way: one after a step that was not quiet, two and then four after
        # further ones in a row, none with joints; how many the next time; steps of the next call, first a frame's.
        self._left, self._leave, self._many = 0, 1, 0
        # Whether the coming step is known not to be quiet, or is left; what its try found, see `asking`.
        self._known, self._found = False, None

    def step(self, model, state, settings, group=None, room=ROOM, keeps=None):
        """The Part of a step of all bodies of a Group, None for those of the model; None where it is not quiet, or is
        left. room: that of a part of a step, see step_review.py. keeps(State) tells whether what it ends in is kept."""
        made = self.parts(model, state, settings, 1, group, room, keeps)
        self._known = False
        return None if made is None else Part(made[0], made[1][0], made[2])

    def parts(self, model, state, settings, most, group, room, keeps):
        """(State after them, StepReports, impulses (C,4) of the contacts in the last) of as many parts of a step as are
        quiet, at most so many; None where the coming one is not, or is left to `step`; see there."""
        made = self._tried(model, state, nobody(), settings, most, (most, most), group, room)
        if made is None or keeps is not None and not keeps(made):
            return None
        reports = []
        for k in range(len(made.reports)):
            report = made.report(k)
            settings.events.all_of((event.name, event.count) for event in report.events)
            reports.append(report)
        return made.state, reports, made.rows

    def several(self, model, state, settings, most, frames):
        """The Made of as many steps as are quiet, at most so many; None where the coming one is not, or is left to
        `step`, which then says so without another try. frames: steps to the end of the first frame, and of each."""
        if model.soft.any() or model.flow is not None or off("quiet_steps"):
            return None
        if self.sleep is None or not self.sleep.acts(state):
            return self._tried(model, state, nobody(), settings, most, frames)
        rest = rest_for(model, state, self.sleep, settings.time_step)
        if (rest.asleep | (model.inverse_mass == 0)).all():
            return None if model.kinematic else all_asleep(model, state, rest, settings, min(most, MOST), frames)
        awake = self.sleep.frozen(model, rest.asleep) if rest.asleep.any() else model
        made = self._tried(awake, state, rest, settings, most, frames)
        return made if made is None or awake is model else with_sleepers(made, model, state, rest)

    def asking(self, model, state, settings):
        """(bodies (R,2) bool that ask for halves of a step from a State by what a try of it made of their joints: by
        tension, and by the work of held rows; island (R,) of each body in it; contacts relaxed in it). None where that
        is not known, or the try is not all of a step."""
        if self._found is None or self._found[0] is not model or self._found[1] is not state:
            return None
        _, _, row, report = self._found
        asking = row[:, :2] != 0.0
        # Where no body asks, the report is not filled.
        if not asking.any():
            return None
        relaxed, fastest = int(report[COLUMNS.index("work")]), report[COLUMNS.index("contact_count")]
        if not fastest <= settings.work.fastest or relaxed >= settings.work.left:
            return None
        return asking, row[:, 2].astype(np.int64), relaxed

    def prepare(self, model, settings, group=None, room=ROOM):
        """Make what all steps of a model, or parts of steps with so much room, have in common: a World; None where they
        may not be quiet."""
        if group is None:
            if self._group is None or self._group.model is not model:
                self._group = whole_group(model)
            group = self._group
        if (key := (settings, room)) not in group.worlds:
            # It compiles for minutes, as long as all else, and saves time, nothing else: no run waits for that.
            able = is_able(model, settings) and is_compiled(quiet_steps)
            group.worlds[key] = _world(group, settings, room) if able else None
            if group.worlds[key] is not None:
                get_ready(quiet_steps)
        return group.worlds[key] if settings.log is None and settings.record is None else None

    def _tried(self, model, state, rest, settings, most, frames, group=None, room=ROOM):
        world = self.prepare(model, settings, group, room)
        if world is None or self._known:
            return None
        if self._left > 0:
            self._left, self._known = self._left - 1, True
            return None
        count, began = min(most, self._many or min(frames[1], MOST)), time.perf_counter()
        h = world.times.step
        # As the general way has it: whoever makes single steps knows how many there were.
        single = group is not None or most == 1
        ends = np.cumsum(np.append(state.time, np.full(count, h)))[1:] if single else times_after(state.time, h, count)
        made, now, frame, rests, records = _made(world, (model, settings), state, rest, ends, frames)
        self._note(made, count, time.perf_counter() - began, world.joint_count > 0)
        after = None
        if made > 0:
            # Whole steps each begin their work anew.
            relaxed = records[1][:made, COLUMNS.index("work")]
            settings.work.solve(int(relaxed.sum() if single else relaxed[-1]))
            wall = (time.perf_counter() - began) / made
            after = _after(world, (state, settings), (now, frame), rests, [one[:made] for one in records],
                           ends[:made], frames, wall)  # fmt: skip
        if made < count and world.joint_count > 0:
            self._found = model, state if after is None else after.state, records[0][made, :, :3], records[1][made]
        return after

    def _note(self, made, count, wall, jointed):
        """Note how many steps of a call were quiet, and how long it took."""
        if made > 0:
            self._leave = 1
        if made < count:
            self._left, self._leave, self._known = 0 if jointed else self._leave, min(2 * self._leave, 4), True
        if made > 0 and wall > 0.0:
            self._many = max(1, min(MOST, 16 * count, int(PATIENCE * made / wall)))


def is_able(model, settings):
    """Whether steps of a model may be made so: small scenes of rigid bodies, with joints whose friction and targets
    stay, but for those of motors."""
    collision = model.collision
    joints = not model.joints.keyed_servos and not (model.joints.per_joint.static_ratio > 1.0).any()
    free = joints and not model.soft.any() and model.flow is None
    # Of more bodies heaps have more contacts than one call solves for.
    few = 0 < len(collision.geometry.kind) <= LARGEST and collision.generator == DEFAULT
    plain = settings.overlap == "soft" and not (model.pairs.mu[:, :, 2] > 0.0).any()
    able = free and few and plain and getattr(settings.method_options, "effort", 0) > 0
    return able and not off("quiet_steps") and methods.starts_of(settings.method, settings.method_options) is not None


def compile_quiet(model, state, settings):
    """Compile the kernel of quiet steps, where it is not on disk."""
    ends = np.array([state.time + settings.time_step])
    _made(_world(whole_group(model), settings, ROOM), (model, settings), state, nobody(), ends, (1, 1))


def _world(group, settings, room):
    """The World of a Group's steps, or of parts of steps with so much room."""
    model, h, collision, options = group.model, settings.time_step, group.model.collision, settings.method_options
    following, part = h if settings.next_step is None else settings.next_step, room / ROOM
    first = np.searchsorted(collision.geometry.body, np.arange(model.body_count + 1)).astype(np.int64)
    search = Search(collision.geometry, collision.inflation, collision.allowed, collision.colliders,
                    (collision.most_vertices, collision.most_edges, collision.most_corners),
                    np.zeros(len(collision.inflation)), collision.meshes or no_meshes(), first, collision.compound,
                    collision.meshes is not None)  # fmt: skip
    turn, fly = (0.5 * least for least in group.least)
    push = settings.overlap_tolerance, settings.push_rate, settings.largest_push
    bounds = Bounds(
        group.reach, group.allowed, group.thickness, GROWN * part, turn, fly, SEARCH_MARGIN,
        push, (LOCKED, STAYS), TURNS, AGAIN, LATE_OVERLAP, (tension.AHEAD, tension.BACK), part**0.5,
        limits_of(settings), UNSEEN * moving_size(group),
    )  # fmt: skip
    times = StepTimes(h, h - 0.5 * h, 0.5 * h + 0.5 * following)
    numbers = goal_numbers(model, settings), goal_numbers(model, settings, patient=False)
    solving = Solving(*methods.starts_of(settings.method, options), BEFORE_SEARCH, int(settings.work.limit), *numbers,
                      float(settings.bounce_threshold), ContactProblem.sides)  # fmt: skip
    slow = float(np.linalg.norm(model.gravity)) * h + options.tolerance
    joints, rows = model.joints, model.joint_tables.rows
    # Steps write the targets of keyed motors there.
    tables = model.joint_tables._replace(rows=rows._replace(target=rows.target.copy()))
    return World(search, model.bodies, model.symmetry, np.exp(-h * model.damping), model.pairs, times, bounds, solving,
                 tables, read_of(joints), joints.count, joints.keyed_motors, model.paths, slow)  # fmt: skip


def _made(world, run, state, rest, ends, frames):
    """(steps made, Moments after them and after the last frame, State.rest then, records of quiet_steps) from a State
    and its Rest, of steps that end at times `ends` (S,) [s]; run: Model and StepSettings."""
    count = len(ends)
    contacts, joints = ContactSet(*map(np.ascontiguousarray, state.contacts)), joints_of(state)
    memory, collision = run[1].memory, run[0].collision
    held = JointsNow(*(np.ascontiguousarray(getattr(joints, name)) for name in JointsNow._fields))
    now = Moment(*map(np.ascontiguousarray, (state.position, state.orientation, state.twist)), contacts,
                 np.ascontiguousarray(state.impulses), np.ascontiguousarray(state.since),
                 np.ascontiguousarray(state.horizon), np.zeros((contacts.count, 4)), held,
                 Known(*memory.of(collision)))  # fmt: skip
    records = (np.empty((count, len(state.position), 13)), np.empty((count, len(COLUMNS) + len(COUNTED))),
               np.empty((count, world.joint_count, WIDTH)))  # fmt: skip
    starts = np.append(state.time, ends[:-1])
    course = starts, run[0].joints.motor_targets(starts + world.times.step)
    made, now, frame, *rests = quiet_steps(world, now, rest, course, records, *frames)
    if made > 0 and collision.meshes is not None:
        memory.keep(collision, now.known.pairs, lambda: now.known.meshes)
    return made, now, frame, [one.steps for one in rests], records


def _after(world, given, moments, rests, records, ends, frames, wall):
    """The Made of steps, given their State and StepSettings; wall [s]: of each; the others as _made has them."""
    state, settings = given
    poses, reports, joints = records
    made = len(reports)
    numbers = _OTHER[None].repeat(made, axis=0)
    numbers[:, _PLACES] = reports[:, : len(COLUMNS)]
    numbers[:, _TIME] = ends
    numbers[:, _SOLVE] = wall
    framed = last_frame(made, frames)
    after = _state(world, state, moments[0], rests[0], float(numbers[-1, _TIME]))
    frame = after if framed == made else None
    if 0 < framed < made:
        frame = _state(world, state, moments[1], rests[1], float(numbers[framed - 1, _TIME]))
    return Made(after, frame, framed, poses, numbers, joints, moments[0].columns, reports[:, len(COLUMNS) :])


def _state(world, before, moment, rest, at):
    """The State at a time [s] with what a Moment holds, and State.rest."""
    joints = joints_of(before)
    if world.joint_count:
        joints = replace(joints, **moment.joints._asdict())
    return State(at, moment.position, moment.orientation, moment.twist, moment.contacts, moment.impulses, rest=rest,
                 horizon=moment.horizon, since=moment.since, joints=joints)  # fmt: skip
