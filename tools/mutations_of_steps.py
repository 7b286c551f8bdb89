"""Rows of the table of mutants: the step, joints, scenes, materials, files."""

STEP = ("tests/unit/test_step_mathematics.py",)
MOTION = ("tests/unit/test_simulation.py", "tests/validation/test_closed_forms.py")
MATERIALS = ("tests/unit/test_materials.py",)
TORN = ("tests/unit/test_torn_files.py",)
DAMAGE = ("tests/unit/test_problem_damage.py",)
MASS, IMPLICIT = "dynamics/jointed/newton_mass.py", ("tests/unit/test_position_level_joints.py",)
LIMITS = ("tests/unit/test_refusals.py", "tests/unit/test_scene_damage.py")
SPINNING = ("tests/validation/test_spinning_disc.py",)
BEARINGS, ARCHES = ("tests/unit/test_bearings.py",), ("tests/unit/test_arches.py",)
DRIVES = ("tests/unit/test_drives.py",)
AT_END, FACETS = ("tests/unit/test_position_level.py",), ("tests/unit/test_facets_in_reach.py",)
REPORT, TURNING = "dynamics/report_kernels.py", ("tests/unit/test_turning_rows.py", "tests/unit/test_turning.py")
STEPS, RIGID, ROWS = "dynamics/step_kernels.py", "dynamics/rigid.py", "dynamics/contact_rows.py"
REDUCE, OPTIONS = "collision/manifold/reduce_kernels.py", "methods/method_options.py"

TABLE = (
    # The step.
    (
        "contacts held in the middle",
        STEPS,
        "if waiting > 0.0 else scale * along",
        "if waiting > 0.0 else 0.0",
        TURNING,
    ),
    ("contacts' change by whole steps", STEPS, "part = ahead / (age + times.elapsed)", "part = 0.5", TURNING),
    (
        "slipping contacts held at the end",
        STEPS,
        "holds = sqrt(slip[k, 1] ** 2 + slip[k, 2] ** 2) <=",
        "holds = 0.0 <=",
        TURNING,
    ),
    ("sliding of what turns unbounded", STEPS, "across if holds else 0.0, 1e-300", "1e-300", TURNING),
    ("contacts stay on the body", STEPS, "shift = part * (", "shift = 0.0 * (", TURNING),
    (
        "open contacts do not wait",
        STEPS,
        "b[first] += max(scale * along - waiting, 0.0) if",
        "b[first] += scale * along if",
        TURNING,
    ),
    (
        "normals of contacts stay",
        STEPS,
        "turned = part * (contacts.normal",
        "turned = 0.0 * (contacts.normal",
        TURNING,
    ),
    (
        "bodies do not turn freely until the end",
        STEPS,
        "arm_speed(twist, acceleration, ahead,",
        "arm_speed(twist, acceleration, 0.0 * ahead,",
        TURNING,
    ),
    (
        "(63) with the gap of the start",
        "dynamics/contact_step.py",
        "asked = (gap - np.minimum(contacts.gap, 0.0)) / time - speed",
        "asked = np.maximum(contacts.gap, 0.0) / time - speed",
        AT_END,
    ),
    (
        "(63) asks the change for all of the velocity",
        "dynamics/contact_step.py",
        "asked = (gap - np.minimum(contacts.gap, 0.0)) / time - speed",
        "asked = (gap - np.minimum(contacts.gap, 0.0)) / time",
        AT_END,
    ),
    (
        "inertia rotated by its transpose",
        STEPS,
        "total += R[i, a, c] * body[i, c, d] * R[i, b, d]",
        "total += R[i, c, a] * body[i, c, d] * R[i, d, b]",
        STEP,
    ),
    (
        "warm start that ignores keys",
        STEPS,
        "and b0[i] == b1[k] and key0[i] == key1[k]",
        "and b0[i] == b1[k]",
        STEP,
    ),
    (
        "torsional row dropped from the warm start",
        STEPS,
        "impulse[at + 3] = carried[k, 4]",
        "impulse[at + 3] = 0.0",
        STEP,
    ),
    (
        "energy of spin in the world frame",
        REPORT,
        "omega[j] = R[i, 0, j] * twist[i, 3] + R[i, 1, j] * twist[i, 4] + R[i, 2, j] * twist[i, 5]\n        spin",
        "omega[j] = R[i, j, 0] * twist[i, 3] + R[i, j, 1] * twist[i, 4] + R[i, j, 2] * twist[i, 5]\n        spin",
        STEP,
    ),
    (
        "bounces by e instead of e squared",
        STEPS,
        "restitution[k] * restitution[k] * impact",
        "restitution[k] * impact",
        STEP,
    ),
    (
        "gap terms by half",
        STEPS,
        "max(step.contacts.gap[k], 0.0) / horizon",
        "0.5 * max(step.contacts.gap[k], 0.0) / horizon",
        STEP,
    ),
    (
        "tangential restitution left out",
        STEPS,
        "b[first + axis] += step.tangential_restitution[k] * step.before[k, axis]",
        "b[first + axis] += 0.0",
        STEP,
    ),
    (
        "overlap pushed out twice as fast",
        "dynamics/displacement.py",
        "push[k] = min(share * rate * overlap,",
        "push[k] = min(2.0 * share * rate * overlap,",
        STEP,
    ),
    (
        "gyroscopic torque with the wrong sign",
        RIGID,
        "dot(x, change) + h * turning[0]",
        "dot(x, change) - h * turning[0]",
        STEP,
    ),
    ("gyroscopic step explicit", RIGID, "scale(add(w0, w), 0.5)", "scale(add(w0, w0), 0.5)", STEP),
    (
        "gravity twice",
        RIGID,
        "decay[i, 0] * twist[i, j] + h * bodies.gravity[j]",
        "decay[i, 0] * twist[i, j] + 2.0 * h * bodies.gravity[j]",
        MOTION,
    ),
    ("7 of 8 directions in the reduction", REDUCE, "for k in range(ENOUGH):", "for k in range(ENOUGH - 1):", STEP),
    ("overlap closed however far", "dynamics/projection.py", "shift[i] *= part[look.label[i]]",
     "shift[i] *= 1.0", ("tests/unit/test_projection.py",)),
    ("the reduction forgets what slides", REDUCE, "    nearer = slide *", "    nearer = 0.0 * slide *", FACETS),
    ("the reduction forgets what turns", REDUCE, "if gaps_at_end(", "if False and gaps_at_end(", FACETS),
    (
        "the reduction forgets gaps",
        REDUCE,
        "- penalty * max(0.0, gap[c])",
        "- 0.0 * max(0.0, gap[c])",
        STEP,
    ),
    (
        "lever arms of a contact with the wrong sign",
        ROWS,
        "ax = arm[1] * d[2] - arm[2] * d[1]",
        "ax = arm[2] * d[1] - arm[1] * d[2]",
        STEP,
    ),
    (
        "torsional row of a contact dropped",
        ROWS,
        "ax, ay, az = d[0], d[1], d[2]",
        "ax, ay, az = 0.0, 0.0, 0.0",
        STEP,
    ),
    # Patches, joints, scenes.
    (
        "inner ring near the rim",
        "collision/manifold/patch_kernels.py",
        "HALF_WAY = 0.5",
        "HALF_WAY = 0.9",
        SPINNING,
    ),
    (
        "inner ring weighs as much as the rim",
        "dynamics/patches.py",
        "INNER_WEIGHT = 2.0",
        "INNER_WEIGHT = 1.0",
        SPINNING,
    ),
    (
        "friction of a hinge without its radius",
        "dynamics/jointed/start/row_list.py",
        "joint.bearing.radius / scale if angular",
        "1.0 / scale if angular",
        BEARINGS,
    ),
    (
        "a drive's mass without what its joint holds",
        "dynamics/jointed/drive_kernels.py",
        "scale[k] * scale[HELD + i] * x[k]",
        "scale[k] * scale[HELD + i] * 0.0",
        DRIVES,
    ),
    (
        "a body's whole inertia for each of its drives",
        "dynamics/jointed/drive_kernels.py",
        "total += own * shared[J.start[s] // 6]",
        "total += own",
        DRIVES,
    ),
    (
        "a damper taken at the mean of both ends",
        "dynamics/jointed/drive_kernels.py",
        "p - (1.0 + p) * exp(-2.0 * g)",
        "1.0 + 0.0 * exp(-2.0 * g)",
        DRIVES,
    ),
    (
        "a keyed servo that lags by a step",
        "dynamics/jointed/row_kernels.py",
        "r.target[k] - lag * pace[k]",
        "r.target[k] - 0.0 * pace[k]",
        DRIVES,
    ),
    (
        "friction of a bearing without its load",
        "dynamics/jointed/row_kernels.py",
        "most[k] += r.grip[k] * np.sqrt(square)",
        "most[k] += r.grip[k] * 0.5 * np.sqrt(square)",
        BEARINGS,
    ),
    (
        "load of a bearing as a sum of components",
        "dynamics/jointed/row_kernels.py",
        "square += impulse[i] * impulse[i]",
        "square = (np.sqrt(square) + impulse[i]) ** 2",
        BEARINGS,
    ),
    (
        "static friction that goes on while a joint slides",
        "dynamics/jointed/after_kernels.py",
        "(1.0 - AT_BOUND) * held",
        "(1.0 + AT_BOUND) * held",
        BEARINGS,
    ),
    ("a screw pressed along its axis", "dynamics/joints/screw.py", "1.0 / cos(rise))", "1.0)", BEARINGS),
    ("a screw that slides round only", "dynamics/joints/screw.py", '("z", sin(rise))', '("z", 0.0)', BEARINGS),
    (
        "arch faces as chords",
        "scenes/arches.py",
        "np.linspace(0.0, pi, count * facets + 1)",
        "np.repeat(np.linspace(0.0, pi, count + 1), facets)[facets - 1 :]",
        ARCHES,
    ),
    # Pairs of materials, files.
    (
        "combine rule: product as default",
        "materials.py",
        '"geometric": lambda a, b: sqrt(a * b)',
        '"geometric": lambda a, b: a * b',
        MATERIALS,
    ),
    ("journal without its checksum", "runs/journal.py", "if zlib.crc32(data) != checksum:", "if False:", TORN),
    ("checkpoint without its checksum", "runs/checkpoint.py", "!= _CHECKSUM.unpack_from(data)[0]:", "== -1:", TORN),
    (
        "header without its checksum",
        "trajectory.py",
        'if header.get("checksum") != _header_checksum(header):',
        "if False:",
        TORN,
    ),
    ("output replaced unasked", "base/files.py", "if path.exists() and not overwrite:", "if False:", TORN),
    (
        "problem files without their digest",
        "scene_io/problem_file.py",
        'if not np.array_equal(data["digest"], digest(stored)):',
        "if False:",
        DAMAGE,
    ),
    ("geometric stiffness softens too", MASS, "return -np.minimum(0.0, c)", "return np.abs(c)", IMPLICIT),
    (
        "(73) with the sign it is printed with",
        MASS,
        "c = np.divide(change, turn,",
        "c = np.divide(-change, turn,",
        IMPLICIT,
    ),
    (
        "no compliance in (47)",
        "dynamics/jointed/row_kernels.py",
        "compliance[i] = r.compliance[k] / (h * h)",
        "compliance[i] = r.compliance[k] / h",
        IMPLICIT,
    ),
    (
        "held rows of the end without their error",
        "dynamics/jointed/row_kernels.py",
        "if soft or moments.implicit:",
        "if soft:",
        IMPLICIT,
    ),
    ("options take texts for numbers", "options.py", "if not _fits(kind, value):", "if False:", LIMITS),
    (
        "keys of poses may be unsorted",
        "dynamics/kinematic.py",
        "np.diff(np.asarray(keys.times, dtype=float)) <= 0)",
        "np.diff(np.asarray(keys.times, dtype=float)) <= -1e9)",
        LIMITS,
    ),
)
