"""Rows of the table of mutants: turns, sheets, joints in the mean over a step, quiet steps, rows of elements, lanes."""

SHEETS, ON_SHEETS = (
    "collision/mesh/mesh_features.py",
    ("tests/unit/test_soft_on_sheets.py", "tests/unit/test_mesh_sheet.py"),
)
MEAN, MEAN_TESTS = "dynamics/jointed/after_kernels.py", ("tests/unit/test_mean_place.py",)
ONE_CALL = ("tests/contract/test_one_call.py",)
ROWS, PROBLEM = "dynamics/elastic/literal/element_rows.py", "dynamics/elastic/literal/element_problem.py"
ELEMENTS = ("tests/unit/test_element_rows.py",)
LANES, PLAIN = "methods/compact/lanes.py", ("tests/unit/test_lanes.py",)
BLOCKS = "methods/second_order/block_lanes.py"
TURNS, THEORY = "methods/accelerated/turn_kernels.py", ("tests/unit/test_theory.py", "tests/unit/test_island_ends.py")
IMPACTS, ON_IMPACTS = "dynamics/impact_energy.py", ("tests/unit/test_impact_energy.py",)
PREPARED, MESHES = "meshes/mesh_prep.py", ("tests/unit/test_mesh_shape.py",)

TABLE = (
    # Turns of sweeps and Newton steps.
    (
        "turns half as long",
        TURNS,
        "steps = max(FEWEST, int(used / cost))",
        "steps = max(FEWEST, int(0.5 * used / cost))",
        THEORY,
    ),
    ("turns begun that end half-way", TURNS, "if steps * cost <= aims", "if cost <= aims", THEORY),
    ("a turn after any other", TURNS, "goal < run[LEAST] <= LEAVES * before", "goal < run[LEAST] <= before", THEORY),
    ("patience without end", TURNS, "if used >= asked.patience[i]:", "if used >= asked.most[i]:", THEORY),
    # Meshes.
    ("sheets touched from behind", SHEETS, "return all_faces < 0.0", "return True", ON_SHEETS),
    (
        "sheets not touched by what lies flat on them",
        SHEETS,
        "return all_faces < 0.0",
        "return all_faces > 0.0",
        ON_SHEETS,
    ),
    ("parts turned that others close", PREPARED, "outward &= ~_open_parts(edges, part)[part]", "pass", MESHES),
    ("triangles that are all there twice kept", PREPARED, "if 2 * len(once) != len(found) or", "if True or", MESHES),
    # What impacts give.
    ("falls of bounces counted twice", IMPACTS, "fall = 0.5 * h", "fall = 1.0 * h", ON_IMPACTS),
    ("any pushes taken for those of a jam", IMPACTS, "return left < np.sqrt(np.finfo(float).eps)", "return left < 1.0",
     ON_IMPACTS),
    # Joints in the mean over a step.
    (
        "joints push in the middle",
        MEAN,
        "            moved[i] = shift[i]",
        "            moved[i] = 0.0",
        MEAN_TESTS,
    ),
    (
        "driven joints push in the mean",
        MEAN,
        "swings[i] = not other[t.group_of_body[i]]",
        "swings[i] = True",
        MEAN_TESTS,
    ),
    (
        "joints push where they are open",
        MEAN,
        "    return closed_poses(t, bodies, broken, value, mean, turned, 1e-7, spare)",
        "    return mean, turned",
        MEAN_TESTS,
    ),
    (
        "a quarter of the acceleration",
        "steppers.py",
        "shift = (h - remaining) / 3.0",
        "shift = (h - remaining) / 2.0",
        MEAN_TESTS,
    ),
    # Quiet steps.
    (
        "quiet steps that bounce are not displaced",
        "stepping/quiet/answers.py",
        "    if found.hit.any():",
        "    if False:",
        ONE_CALL,
    ),
    (
        "keyed bodies of quiet steps a step late",
        "stepping/quiet/loop.py",
        "drive(world.paths, start + h, h,",
        "drive(world.paths, start, h,",
        ONE_CALL,
    ),
    (
        "quiet steps move by the velocities before",
        "stepping/quiet/loop.py",
        "world.symmetry, at.position, at.orientation, motion, remaining)",
        "world.symmetry, at.position, at.orientation, at.before, remaining)",
        ONE_CALL,
    ),
    # Elements as rows.
    (
        "strain's shears by the wrong part",
        ROWS,
        "(seen[:, i, j] + seen[:, j, i]) / sqrt(2.0)",
        "(seen[:, i, j] - seen[:, j, i]) / sqrt(2.0)",
        ELEMENTS,
    ),
    (
        "shears of rows without their symmetry",
        ROWS,
        "along[:, :, j, None] + U[:, None, :, j]",
        "along[:, :, j, None] - U[:, None, :, j]",
        ELEMENTS,
    ),
    ("negative stiffness of rows kept", ROWS, "np.maximum(values, least[:, None])", "values", ELEMENTS),
    (
        "rows without the length of their element",
        ROWS,
        "load * (volume / length)[:, None]",
        "load * volume[:, None]",
        ELEMENTS,
    ),
    (
        "rows without their stress",
        PROBLEM,
        "part.strain_impulse = -h * rows.load",
        "part.strain_impulse = h * rows.load",
        ELEMENTS,
    ),
    (
        "b of element rows with the other sign",
        PROBLEM,
        "(strained - h * rows.strain_rates(part.v))",
        "(strained + h * rows.strain_rates(part.v))",
        ELEMENTS,
    ),
    (
        "element rows without damping",
        PROBLEM,
        "part.elements.compliance / (h * (h + part.body.damping[1]))",
        "part.elements.compliance / (h * h)",
        ELEMENTS,
    ),
    (
        "geometric stiffness of rows softens",
        PROBLEM,
        "heavier = mass - np.minimum(0.0, c)",
        "heavier = mass - np.maximum(0.0, c)",
        ELEMENTS,
    ),
    # Lanes.
    (
        "columns of lanes in another order",
        "base/lanes.py",
        "for left, right in ((even, more), (odd, other))]",
        "for left, right in ((odd, other), (even, more))]",
        PLAIN,
    ),
    (
        "lanes of pairs swapped",
        "base/lanes.py",
        "(0, 4, 2, 6)), shuffled(builder, a, b, (1, 5, 3, 7))",
        "(0, 4, 2, 6)), shuffled(builder, a, b, (1, 5, 7, 3))",
        PLAIN,
    ),
    (
        "sums in threes in another order",
        LANES,
        "add(add(x[k], x[k + 1]), x[k + 2])",
        "add(x[k], add(x[k + 1], x[k + 2]))",
        PLAIN,
    ),
    (
        "b added last",
        LANES,
        "return add(add(b, add(sums[0], sums[1])), add(sums[2], sums[3]))",
        "return add(add(add(sums[0], sums[1]), add(sums[2], sums[3])), b)",
        PLAIN,
    ),
    (
        "sums in pairs of one node",
        LANES,
        "builder.fadd(b, builder.fadd(x[k], x[k + NODE]))",
        "builder.fadd(builder.fadd(b, x[k]), x[k + NODE])",
        PLAIN,
    ),
    (
        "changes of four rows in another order",
        LANES,
        "rest = x[2] if len(x) == 3 else builder.fadd(x[2], x[3])",
        "rest = x[2] if len(x) == 3 else builder.fadd(x[3], x[3])",
        PLAIN,
    ),
    (
        "changes one after the other from the last on",
        LANES,
        "    for term in x:\n        w = builder",
        "    for term in x[::-1]:\n        w = builder",
        PLAIN,
    ),
    (
        "products of blocks added",
        BLOCKS,
        "total = builder.fsub(total, builder.fmul(factor, right[e]))",
        "total = builder.fadd(total, builder.fmul(factor, right[e]))",
        PLAIN,
    ),
    ("weights of rows transposed", BLOCKS, "at(builder, K, rows * i + e)", "at(builder, K, rows * e + i)", PLAIN),
    (
        "congruence by the other column",
        BLOCKS,
        "builder.load(at(builder, of_J[e], i))",
        "builder.load(at(builder, of_J[e], SIDE - 1 - i))",
        PLAIN,
    ),
)
