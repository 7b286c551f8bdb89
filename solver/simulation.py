"""Scene and settings -> frames: the one loop that panel, command line and studies use."""

import dataclasses
import hashlib
import json
import tempfile
import time
from pathlib import Path

import numpy as np

from . import mechanisms, methods
from .base.files import check_folder
from .base.refusal import NotFinite, SceneError
from .base.work import Work
from .collision.contact_generators import DEFAULT
from .collision.contacts import chosen
from .dynamics.jointed.start.mobility import notes_of_motion
from .dynamics.jointed.state import joints_of
from .kernels import ways as kernels
from .methods.method_options import AcceleratedOptions
from .model import compile_scene
from .options import OptionError
from .recording import constants as recording
from .recording.substep_log import SubstepLog
from .runs.at_rest import AtRest
from .runs.checkpoint import STREAMS, never_began, read_checkpoint
from .runs.compile_ahead import compile_ahead
from .runs.drive_notes import drive_notes
from .runs.explained import check_explained, fastest
from .runs.faults import fault_sentence
from .runs.node_frames import node_header, node_type
from .runs.not_accepted_file import write_not_accepted
from .runs.passed_sheets import passed_sheets
from .runs.quiet_run import note_made, unseen
from .runs.scene_checks import check_flow, check_scene, filling_notes
from .runs.simulation_options import ACCEPTABLE, EFFORT, SimulationOptions
from .runs.soft_watches import ENTRIES, SoftWatches
from .runs.start_overlap import told_at_start
from .runs.told import taken_together
from .scene_io.scene_file import scene_digest
from .scene_io.shape_notes import shape_counts, shape_notes
from .scene_io.struck_notes import struck_notes
from .state import naming_faults
from .steppers import STEPPERS, StepSettings
from .stepping.flow_step import states_at_start, with_flow
from .stepping.not_accepted import refusal
from .stepping.quiet.steps import QuietSteps, is_able
from .stepping.release import Releases, Switches, jump_notes, on_keys
from .stepping.sleeping import Sleep, first_rest, with_sleep
from .stepping.soft import with_deformables
from .stepping.submodel import renumbered
from .stepping.substeps import adaptive_substeps, fixed_substeps, within_work
from .trajectory import FORMAT, MemoryRecorder, Trajectory, TrajectoryError, TrajectoryWriter, read_header, write_header

VERSION = "0.2.0"
# Most sweeps of a solve where nothing else is said: the effort bounds them.
SWEEPS = 1_000_000
# Why a run ended whose bodies have all come to rest.
AT_REST = "all bodies are at rest"


def options_for(scene, **changes):
    """Return SimulationOptions: the scene's suggested settings, then `changes` that are not None."""
    known = {entry.name for entry in dataclasses.fields(SimulationOptions)}
    for name in scene.settings:
        if name not in known:
            raise SceneError(f"scene {scene.name!r}: unknown setting {name!r}; known are {', '.join(sorted(known))}")
    values = {**scene.settings, **{key: value for key, value in changes.items() if value is not None}}
    options = SimulationOptions(**values)
    options.check()
    return options


def method_options_for(options, gravity, speed):
    """Return the method's option dataclass for a run.

    The tolerance is `options.tolerance`, or `accuracy` times a velocity of the scene: what gravity gives in one
    step, or a hundredth of the initial speed where that is larger, so that it scales with the scene's units.
    """
    entry = methods.get_method(options.method)
    scale = max(float(np.linalg.norm(gravity)) * options.time_step, 0.01 * speed)
    tolerance = options.tolerance or options.accuracy * (scale or 1.0)
    known = {field.name for field in dataclasses.fields(entry.options)}
    values = {"tolerance": tolerance}
    # A stated tolerance is meant: only the automatic one is bounded by the effort.
    if "effort" in known and not options.tolerance:
        values["effort"] = options.effort
    if "threads" in known:
        values["threads"] = options.threads
    for name, default in (("effort", EFFORT), ("acceptable", ACCEPTABLE)):
        if name not in known and getattr(options, name) not in (0, default):
            raise OptionError(f"option {name} is {getattr(options, name)} but method {entry.key} knows no {name}; "
                              "leave it out or choose another method")  # fmt: skip
    if options.max_iterations or issubclass(entry.options, AcceleratedOptions):
        values["max_iterations"] = options.max_iterations or SWEEPS
    for name in options.method_options:
        if name not in known:
            raise OptionError(f"method {entry.key} has no option {name!r}; it takes {', '.join(sorted(known))}")
    chosen = entry.options.from_strings({**values, **options.method_options})
    return chosen


def compiled(scene, options):
    """Return (Model, first State) of a scene with what a run's options say of it."""
    check_scene(scene, options)
    model, state = compile_scene(scene, options.linear_damping, options.angular_damping, options.contact_generator)
    check_flow(scene, options, model)
    sleeper = next((body.name for body in scene.bodies if body.asleep), None)
    if sleeper is None:
        return model, state
    if model.soft.any() or model.flow is not None:
        raise SceneError(
            f"body {sleeper!r}: begins asleep, which no body can in a scene with deformable bodies, gates, emitters or "
            "sinks; let it begin awake"
        )
    rest = first_rest(scene.bodies, model.inverse_mass, model.joints.coupled)
    return model, dataclasses.replace(state, rest=rest)


def step_count(options):
    """Number of steps of a run: whole frames that cover options.time."""
    frames = int(np.ceil(options.time / (options.time_step * options.steps_per_frame) - 1e-9))
    return max(frames, 0) * options.steps_per_frame


def run_digest(scene, options):
    """Hash of a scene and of the settings that change its frames; threads do not, and the time only their number."""
    settings = dict(vars(options))
    for name in ("threads", "time"):
        settings.pop(name)
    # What the scene suggests is in the options already.
    what = [scene_digest(dataclasses.replace(scene, settings={})), settings, VERSION, *sorted(mechanisms.OFF)]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def _until(scene, time):
    """The scene without the keys of its bodies after `time` [s]."""
    bodies = []
    for body in scene.bodies:
        if body.keys is not None:
            body = dataclasses.replace(body, keys=_keys_until(body.keys, time))
        for name in ("pin_keys", "goal_keys") if body.elastic is not None else ():
            if (keys := getattr(body.elastic, name)) is not None:
                elastic = dataclasses.replace(body.elastic, **{name: _keys_until(keys, time)})
                body = dataclasses.replace(body, elastic=elastic)
        bodies.append(body)
    return dataclasses.replace(scene, bodies=tuple(bodies))


def _keys_until(keys, time):
    """KeyedPoses or KeyedPoints without those after `time` [s]."""
    kept = np.asarray(keys.times, dtype=float) <= time * (1 + 1e-9)
    return dataclasses.replace(keys, **{name: np.asarray(values)[kept] for name, values in vars(keys).items()})


def simulate(scene, options=None, output=None, progress=None, resume=False, cancelled=None, overwrite=False, start=None,
             watch=None):  # fmt: skip
    """Simulate a scene and return its Trajectory.

    options : SimulationOptions; None for what the scene suggests.  output : folder of the run; None to keep it in
    memory.  progress(steps done, steps in all, StepReport) is called after each step, a Progress once after those made
    together; cancelled() -> True stops after the frame in work and leaves a run that can be resumed.
    resume : go on from the checkpoint in `output`, to a later time than its own if wished, or begin if there is none;
    refused if scene, up to the time of that run, or settings are not its own. overwrite: others are to be empty.
    start : Trajectory made in this process, whose last state the bodies of the same names begin in.
    watch(steps done, State, StepReport, impulses (C,4)) is called after each step; a text it returns ends the run as
    complete, and is the trajectory's `stopped`. A step that leads to a number that is not finite, or to a speed that
    nothing explains, ends the run as incomplete, and is its `fault`.
    Raises SceneError, OptionError, UnknownMethod or TrajectoryError for input that cannot be used.
    """
    options, anew = options_for(scene) if options is None else options, resume and never_began(output)
    options.check()
    if output is not None and not resume:
        check_folder(output, TrajectoryError, overwrite)
    scene, told = taken_together(said := on_keys(scene), options, start, watch)
    model, state = compiled(scene, options)
    if model.soft.any() and start is not None:
        raise SceneError(f"scene {scene.name!r}: has deformable bodies, which cannot begin from another run")
    if start is not None:
        state = started_from(model, state, start)
    settings = step_settings(options, model, state)
    header, first = told.header(_header(said, options, model, settings), said, model.joints.swung), state
    if resume and not anew:
        state, header = _resumed(Path(output), header, said, options, joints_of(first))
    # So that the clock measures the run alone; a library has nothing to compile.
    if step_count(options) and kernels.way() != kernels.LIBRARY:
        settings.work.fastest = fastest(model, first, settings)
        compile_ahead(stepper(options, None if is_able(model, settings) else False), model, first, settings)
    header["notes"] = [*said.notes, *shape_notes(said), *filling_notes(model), *told.notes]
    header["notes"] += struck_notes(said) + notes_of_motion(model, first) + drive_notes(model, first, options.time_step)
    overlaps, header["sunk"] = told_at_start(scene, *states_at_start(model, first), options.threads)
    header["notes"] += mechanisms.notes() + overlaps + [f"{output}: held no run, so this one began at 0 s"] * anew
    resume, folder, writer = resume and not anew, None, MemoryRecorder(header, told)
    if output is None and model.soft.any():
        # Nodes are many: their frames are read back from files.
        folder = tempfile.TemporaryDirectory(prefix="stiction-")
        output = folder.name
    if output is not None:
        writer = TrajectoryWriter(output, header, resume, told, model)
    if output is not None and options.store_contacts and options.contacts_of == "steps":
        recording.write_constants(output, scene, model)
        settings = dataclasses.replace(settings, log=SubstepLog(model.names, model.joints.names))
    quiet, asked = QuietSteps(Sleep(options.sleeping)), (progress, cancelled, watch)
    quiet.prepare(model, settings)
    complete, cpu, wall = False, time.process_time(), time.perf_counter()
    try:
        complete, state = _run(scene, model, state, settings, options, writer, quiet, asked, resume)
        header["notes"] += jump_notes(header["jumped"])
        header["wall_s"] += time.perf_counter() - wall
        header["cpu_s"] += time.process_time() - cpu
    finally:
        writer.close(complete)
    run = writer.trajectory() if output is None else Trajectory.load(output)
    run.header["passed"] = passed_sheets(said, run, model.collision.allowed, told.body)
    if output is not None:
        write_not_accepted(output, run)
        if run.header["passed"]:
            write_header(output, run.header)
    if folder is not None:
        folder.cleanup()
    run.state = told.state(state)
    return run


def started_from(model, state, run):
    """The first state of a model whose bodies begin as those of the same names ended in a Trajectory made in this
    process, with the impulses between them; all others begin as their scene says."""
    if run.state is None:
        raise TrajectoryError("a run that was read from a folder has no last state; simulate it here to start from it")
    old, known = run.state, {name: i for i, name in enumerate(run.names)}
    number = np.full(len(run.names), -1, dtype=np.int64)
    position, orientation, twist = state.position.copy(), state.orientation.copy(), state.twist.copy()
    for i, name in enumerate(model.names):
        if name in known:
            j = known[name]
            number[j] = i
            # Fixed bodies stand where their own scene puts them: an outlet may be wider now.
            if model.inverse_mass[i] > 0:
                position[i], orientation[i], twist[i] = old.position[j], old.orientation[j], old.twist[j]
    kept = (number[old.contacts.body_a] >= 0) & (number[old.contacts.body_b] >= 0)
    contacts = renumbered(chosen(old.contacts, kept), number)
    order = np.lexsort((contacts.key, contacts.body_b, contacts.body_a))
    if not np.all(np.diff(number[number >= 0]) > 0):
        # Keys and normals belong to an order of the two bodies; impulses are found anew instead.
        return dataclasses.replace(state, position=position, orientation=orientation, twist=twist)
    return dataclasses.replace(state, position=position, orientation=orientation, twist=twist,
                               contacts=chosen(contacts, order), impulses=old.impulses[kept][order])  # fmt: skip


def step_settings(options, model, state):
    """StepSettings of a run, from its options and its first state."""
    speed = float(np.abs(state.twist[:, :3]).max(initial=0.0))
    return StepSettings(
        time_step=options.time_step, method=options.method,
        method_options=method_options_for(options, model.gravity, speed),
        # A stated tolerance is meant: only the automatic one is each island's own, and may be left for what is
        # acceptable.
        accuracy=0.0 if options.tolerance or "tolerance" in options.method_options else options.accuracy,
        acceptable=0.0 if options.tolerance else options.acceptable,
        bounce_threshold=options.bounce_threshold, overlap=options.overlap, workers=options.threads,
        work=Work(options.step_effort),
    )  # fmt: skip


def stepper(options, quiet=None):
    """The function that takes a run one time step on: (model, state, settings) -> (state, StepReport, impulses); quiet:
    QuietSteps that try first, None: of its own, False: none."""
    scheme, sleep = STEPPERS[options.stepper], quiet.sleep if quiet else Sleep(options.sleeping)
    quiet = QuietSteps(sleep) if quiet is None else quiet or None
    if options.substeps:
        scheme = fixed_substeps(scheme, options.substeps)
    elif options.contact_generator == DEFAULT:
        # Other generators know no motion, so there is nothing to look ahead with.
        scheme = adaptive_substeps(scheme, quiet if options.stepper == "moreau" else None)
    scheme = with_deformables(with_sleep(scheme, sleep), scheme=options.soft_stepper, rho=options.spectral_radius)
    return naming_faults(within_work(with_flow(scheme)))


def _header(scene, options, model, settings):
    return {
        "format": FORMAT, "scene": scene.name, "digest": run_digest(scene, options),
        "options": dict(vars(options)), "names": list(model.names), "joints": list(model.joints.names),
        "joint_types": list(model.joints.types), "motors": model.joints.motors,
        "joint_bodies": model.joints.per_joint.ends.tolist(), "center_of_mass": model.center_of_mass.tolist(),
        "joints_give": model.joints.give or any(body is not None and body.fed for body in model.elastic),
        "shapes": shape_counts(scene), "motion": [str(motion) for motion in model.motion],
        "switches": {body.name: list(body.switches) for body in scene.bodies if body.switches},
        "directed": model.anisotropic[model.material].tolist(), "mass": model.mass.tolist(),
        "size": model.size.tolist(), "gravity": model.gravity.tolist(), **node_header(model, options),
        "method": methods.get_method(options.method).key, "tolerance": settings.method_options.tolerance,
        "wall_s": 0.0, "cpu_s": 0.0, "passed": [], **{name: {} for name in ENTRIES},
        "versions": {"stiction": VERSION, "numba": kernels.version(), "numpy": np.__version__,
                     "kernels": kernels.way()},
    }  # fmt: skip


def _resumed(folder, header, scene, options, joints):
    """State and header of the run in `folder` to go on with; it must be the same run, as far as it went."""
    old = read_header(folder)
    if old["digest"] not in (header["digest"], run_digest(_until(scene, old["options"]["time"]), options)):
        raise TrajectoryError(
            f"{folder}: holds a run of another scene or other settings; choose another folder or start anew"
        )
    if node_type(old) != node_type(header) or old["streams"] != list(STREAMS):
        raise TrajectoryError(f"{folder}: holds a run of an older version; simulate it again")
    state, reached = read_checkpoint(folder, joints)
    return state, {**header, "reached": reached, "wall_s": old["wall_s"], "cpu_s": old["cpu_s"],
                   "shape_vectors": old.get("shape_vectors", []),
                   **{name: old.get(name, {}) for name in ENTRIES}}  # fmt: skip


def _run(scene, model, state, settings, options, writer, quiet, asked, resume):
    """Step to the end, storing frames: (False if cancelled on the way, the last State); asked: see `simulate`."""
    progress, cancelled, watch = asked
    step, total, jumped = stepper(options, quiet), step_count(options), writer.header["jumped"]
    done, last, releases = round(state.time / options.time_step), None, Releases(scene, options, jumped)
    switches, rest = Switches(scene, options, done, jumped), AtRest(options) if options.until_rest else None
    each, many = options.steps_per_frame, unseen(options, watch)
    watches = SoftWatches(writer.header, options.time_step)
    if not resume:
        writer.add_frame(state)
    while done < total:
        due = min(total, releases.next, switches.next) - done
        if many and due > 0:
            made = quiet.several(model, state, settings, due, (each - done % each, each))
            if made is not None:
                state, last = note_made(made, done, total, options, writer, progress)
                done += len(made.reports)
                if made.frame is made.state and cancelled is not None and cancelled():
                    return False, state
                continue
        model, there, settings, brought = releases.due(done, model, state, settings)
        state, met = switches.due(done, model, there)
        try:
            settings.work.fastest = fastest(model, state, settings)
            # Where impulses grow without bound squares of them overflow first; what comes of it is checked.
            with np.errstate(over="ignore"):
                after, report, rows = step(model, state, settings)
            report = report._replace(brought_energy=report.brought_energy + brought + met)
            check_explained(model, state, after, report, last, settings)
        except NotFinite as fault:
            _note_fault(writer, model, state, options, done, fault)
            return False, state
        state, last, done = after, report, done + 1
        # Multiples, not a running sum: the time of a frame has no accumulated round-off.
        state.time = done * options.time_step
        report = report._replace(time=state.time)
        writer.add_step(report)
        writer.add_events(done, report.events)
        if watches.squeezed.look(model, state):
            writer.save_header(complete=False)
        if options.store_contacts and (options.contacts_of == "steps" or done % options.steps_per_frame == 0):
            writer.add_contacts(done, state.contacts, rows)
        if settings.log is not None:
            writer.add_substeps(done, settings.log.take())
        reason = watch(done, state, report, rows) if watch is not None else None
        if rest is not None and rest.look(model, state):
            reason = reason or AT_REST
        if options.until_not_accepted:
            reason = reason or refusal(report, done, writer.header["tolerance"], model.names)
        if reason or done % options.steps_per_frame == 0:
            if _note_presence(writer.header, model, state):
                # Before the frame that it counts from: whoever reads along, or after a kill, sees who is there.
                writer.save_header(complete=False)
            writer.add_frame(state)
            watches.look_at_frame(model, state)
            if not reason and cancelled is not None and cancelled():
                return False, state
        if progress is not None:
            progress(done, total, report)
        if reason:
            writer.header["stopped"] = reason
            break
    watches.judge(model)
    if rest is not None and writer.header.get("stopped") != AT_REST:
        writer.header["moving"] = rest.moving(model)
    return True, state


def _note_fault(writer, model, state, options, done, fault):
    """End a run before the step after `done` steps, which led to a NotFinite: with the last state as a frame, and the
    sentence for the user as the Trajectory's `fault`."""
    if done % options.steps_per_frame:
        _note_presence(writer.header, model, state)
        writer.add_frame(state)
    writer.header["fault"] = fault_sentence(model, state, options, done, fault)
    writer.header["notes"] = [writer.header["fault"], *writer.header["notes"]]


def _note_presence(header, model, state):
    """Write into a header when bodies entered and left, of those that were not there all the time; None for never.
    Returns whether that is new."""
    changed = np.flatnonzero(np.any(state.present != [0.0, np.inf], axis=1)) if len(state.present) else []
    rows = {model.names[i]: [float(t) if np.isfinite(t) else None for t in state.present[i]] for i in changed}
    if not rows or header.get("present") == rows:
        return False
    header["present"] = rows
    return True
