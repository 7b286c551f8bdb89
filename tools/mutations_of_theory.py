"""Rows of the table of mutants: formulas of a step that its reference in plain numpy notices, see docs/theory.md."""

STEP, ESTIMATES = ("tests/unit/test_theory_step.py",), ("tests/unit/test_theory_estimates.py",)
ONSET, STEPPERS, MOTION = "dynamics/onset.py", "steppers.py", "dynamics/displacement.py"
JOINTS, CLOSING, SPEED = "dynamics/jointed/rows.py", "dynamics/jointed/closing_kernels.py", "dynamics/step_kernels.py"
SOFT, MODES = "dynamics/elastic/schemes/midpoint.py", "dynamics/elastic/schemes/rigid_mode_kernels.py"
MIDDLE, SOLUTION, FREE = "dynamics/elastic/schemes/middle.py", "dynamics/jointed/solution.py", "dynamics/rigid.py"
TAUT, WORK = "dynamics/jointed/tension_kernels.py", "dynamics/jointed/after_kernels.py"
GOALS = "dynamics/goal_kernels.py"

TABLE = (
    ("old impulses held for all of a step", ONSET, "impact[label[k]] / times.step * impulse[i]", "impulse[i]", STEP),
    ("what is passed closes no gap", MOTION, "way = (gap - min(0.0,", "way = (gap - min(min(0.0, gap),", STEP),
    ("what bounces is pushed as deep as it is", MOTION, "k) if bounces else gap)", "k) if False else gap)", STEP),
    ("joints push at half of the mean place", STEPPERS, "(h - remaining) / 3.0", "(h - remaining) / 6.0", STEP),
    ("spin left by what moves a body", FREE, "turned, False, twist)", "went[1], False, twist)", STEP),
    ("spin left by what closes joints", FREE, "closed, True, twist)", "turned, True, twist)", STEP),
    ("held rows turn half", JOINTS, "-= turned - joined.turned", "-= 0.5 * (turned - joined.turned)", STEP),
    ("held rows turn once", SOLUTION, "shift = step.problem.b - sol", "shift = solution.step.problem.b - sol", STEP),
    ("slow part of velocities twice", SOFT, "(t - 0.5) * self.low", "t * self.low", STEP),
    ("energy made left", SOFT, "if self.owed < 0.0 and moving > 0.0:", "if False:", STEP),
    ("energy of a widened body", SOFT, "shrunk(self.v, 0.5 * h, 0.0)", "shrunk(self.v, 0.0, 0.0)", STEP),
    ("contacts closed by the filter", MIDDLE, "if not shut.any():", "if True:", STEP),
    ("rigid motion out of the response", MODES, "more += left[0, b] * R", "more += 0.0 * left[0, b] * R", STEP),
    ("small overlap pushed like deep one", MOTION, "GENTLE = 0.4", "GENTLE = 0.5", STEP),
    ("no turn of its own", SPEED, "t = (L1 * w[2] - L2 * w[1],", "t = 0.0 * L1, 0.0, 0.0\n    s = (L1,", STEP),
    ("normals that stay", SPEED, "turned = part * (contacts", "turned = 0.0 * (contacts", STEP),
    ("a pendulum taut about its middle", TAUT, "if far > 0.0:", "if far < 0.0:", ESTIMATES),
    ("energy of held rows without weight", WORK, "+ weight * bodies.size[i]", "+ 0.0 * bodies.size[i]", ESTIMATES),
    ("nothing acceptable at rest", GOALS, "= share * (v + of_speed * fall)", "= share * v", ESTIMATES),
    ("angle of a steady spin not mended", FREE, "lacks = angle - 2.0 * atan", "lacks = 0.0 * atan", STEP),
)
