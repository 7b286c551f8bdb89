"""Rows of the table of mutants: the measures, the problem, friction, methods."""

JUDGE = ("tests/unit/test_judge.py",)
PAPERS = ("tests/regression/test_papers_stepwise.py", "tests/regression/test_papers.py")
SWEEPS = ("tests/unit/test_sweeps.py",)
EVEN = ("tests/unit/test_even_loads.py",)
BEGUN = ("tests/unit/test_staggered_start.py",)
ELLIPSOID = ("tests/unit/test_ellipsoid.py", *PAPERS)
DAMAGE = ("tests/unit/test_problem_damage.py",)
RESIDUALS, JUDGING = "residuals.py", "problems/residual_kernels.py"
PROX, PROX_K = "methods/papers/prox_literal.py", "methods/papers/prox_literal_kernels.py"
EVEN_K = "methods/even_kernels.py"
NNCG_K = "methods/papers/nncg_kernels.py"
STAGGERED, STAGGERED_K = "methods/papers/staggered.py", "methods/papers/staggered_kernels.py"
NEWTON, NEWTON_K = "methods/papers/newton.py", "methods/papers/newton_kernels.py"
LINEAR, SWEEP = "methods/papers/linear_solvers.py", "methods/sweep_kernels.py"
REDUCE, OPTIONS = "collision/manifold/reduce_kernels.py", "methods/method_options.py"
BALL, BOX, POLYGON = "laws/ellipsoid.py", "laws/box.py", "laws/polygon.py"
PROBLEM_K, CHECK_K = "problems/problem_kernels.py", "problems/check_kernels.py"

TABLE = (
    # The measures.
    (
        "Siconos' error x 0.1",
        RESIDUALS,
        "return float(error / scale) if",
        "return float(0.1 * error / scale) if",
        JUDGE,
    ),
    ("Siconos' error without the shift", RESIDUALS, "z[:, 0] -= mu * np.hypot(u[:, 1], u[:, 2])", "pass", JUDGE),
    (
        "Siconos' cone flatter",
        RESIDUALS,
        "(mu * slip + z[:, 0]) / (1.0 + mu * mu)",
        "(mu * slip + z[:, 0]) / (1.0 + mu)",
        JUDGE,
    ),
    ("Siconos' scale by |q| alone", RESIDUALS, "np.linalg.norm(r), np.linalg.norm(u))", "0.0, 0.0)", JUDGE),
    (
        "judge x 0.5",
        JUDGING,
        "        if not residual[k] <= worst:\n            worst = residual[k]",
        "        if not residual[k] <= worst:\n            worst = 0.5 * residual[k]",
        JUDGE,
    ),
    (
        "judge without friction",
        JUDGING,
        "return max(normal, outside, sqrt(square) / (r_y * sliding_scale(mu)))",
        "return max(normal, outside)",
        JUDGE,
    ),
    (
        "judge's friction step by the trace",
        JUDGING,
        "return largest_eigenvalue(S)",
        "return S[0, 0] + S[1, 1] + S[2, 2]",
        JUDGE,
    ),
    ("judge's sliding scale left out", JUDGING, "return largest if largest > 0.0 else 1.0", "return 1.0", JUDGE),
    (
        "judge takes torsion out",
        JUDGING,
        "    project_friction(p.law[k], p.sides, max(0.0, lam[0]), z, m - 1)\n    square",
        "    project_friction(p.law[k], p.sides, max(0.0, lam[0]), z, min(m - 1, 2))\n    square",
        JUDGE,
    ),
    (
        "limits judged as joints",
        JUDGING,
        "lower, upper = (0.0, np.inf) if kind == 2 else",
        "lower, upper = (-np.inf, np.inf) if kind == 2 else",
        JUDGE,
    ),
    (
        "natural map without r of the normal",
        JUDGING,
        "normal = abs(lam[0] - max(0.0, lam[0] - r_n * v[0])) / r_n",
        "normal = abs(lam[0] - max(0.0, lam[0] - r_n * v[0]))",
        JUDGE,
    ),
    ("dissipation gap halved", JUDGING, "rate += y[i] * slip[i]", "rate += 2.0 * y[i] * slip[i]", JUDGE),
    # The problem.
    (
        "compliance left out of v",
        PROBLEM_K,
        "v[i] += p.compliance[offset + i * m + j] * impulse[first + j]",
        "v[i] += 0.0",
        JUDGE,
    ),
    (
        "compliance left out of the diagonal",
        PROBLEM_K,
        "data[first + i] += p.compliance[c_offset + i]",
        "data[first + i] += 0.0",
        SWEEPS,
    ),
    (
        "b left out of a contact's v",
        PROBLEM_K,
        "v0, v1, v2 = b[first], b[first + 1], b[first + 2]",
        "v0, v1, v2 = b[first], 0.0, b[first + 2]",
        JUDGE,
    ),
    (
        "friction of plain contacts judged with the wrong coefficient",
        JUDGING,
        "z_s, z_t = y_s - r_y * mu_s * v_s, y_t - r_y * mu_t * v_t",
        "z_s, z_t = y_s - r_y * mu_s * v_s, y_t - r_y * mu_s * v_t",
        JUDGE,
    ),
    ("friction bounds not checked for sign", CHECK_K, "if p.mu[k, i] < 0.0:", "if p.mu[k, i] < -10.0:", DAMAGE),
    ("segments may reach one component too far", CHECK_K, "start > dof_count - size", "start > dof_count", DAMAGE),
    (
        "numbers of segments may lie beyond data",
        CHECK_K,
        "offset > rows.data.size - m * size",
        "offset > rows.data.size + 10**9",
        DAMAGE,
    ),
    # Friction.
    (
        "ball projected to half its radius",
        BALL,
        "scale = radius / sqrt(square)",
        "scale = 0.5 * radius / sqrt(square)",
        SWEEPS,
    ),
    (
        "box clips at the lower bound only",
        BOX,
        "y[i] = min(max(y[i], -radius), radius)",
        "y[i] = max(y[i], -radius)",
        SWEEPS,
    ),
    ("polygon turned by half a side", POLYGON, "distance = c * x0 + s * y0", "distance = c * x0 - s * y0", SWEEPS),
    (
        "gauge of the ball as that of a cross",
        BALL,
        "        square += y[i] * y[i]\n    return sqrt(square)",
        "        square += abs(y[i])\n    return square",
        SWEEPS,
    ),
    (
        "ellipsoid's g(t) with t twice",
        "methods/papers/ellipsoid_kernels.py",
        "(axes[i] * axes[i] + t)",
        "(axes[i] * axes[i] + 2.0 * t)",
        ELLIPSOID,
    ),
    # Gauss-Seidel.
    (
        "friction sees the old normal velocity",
        SWEEP,
        "v[i + 1] + own[(i + 1) * m] * change[0]",
        "v[i + 1]",
        SWEEPS,
    ),
    (
        "friction bounded by the old normal impulse",
        SWEEP,
        "relax_friction(p, k, relaxation * r[1], own, lam, new_n, work)",
        "relax_friction(p, k, relaxation * r[1], own, lam, lam[0], work)",
        SWEEPS,
    ),
    (
        "normal impulses may pull",
        SWEEP,
        "new_n = max(0.0, lam[0] - relaxation * r[0] * work.v[0])",
        "new_n = lam[0] - relaxation * r[0] * work.v[0]",
        SWEEPS,
    ),
    ("elimination without the back substitution's sum", SWEEP, "total -= A[c, j] * x[j]", "total -= 0.0", SWEEPS),
    (
        "drives clipped at one bound",
        SWEEP,
        "relaxation * r[0] * work.v[0], lower), upper) - lam[0]",
        "relaxation * r[0] * work.v[0], lower), np.inf) - lam[0]",
        SWEEPS,
    ),
    # Even loads.
    (
        "open loads not of least norm",
        EVEN_K,
        "target, rest, step = x[0], x[1], x[2]",
        "target, rest, step = x[0], x[1], x[2]\n    scale[0] *= 1.5",
        EVEN,
    ),
    ("sticking contacts take no part in the spread", EVEN_K, "role[c] = STICKS", "role[c] = HELD", EVEN),
    ("joints keep their loads where others are spread", EVEN_K, "role[c] = FREE", "role[c] = HELD", BEGUN),
    (
        "loads given do not press",
        "methods/staggered_start.py",
        "b = problem.velocity(load)",
        "b = problem.b.copy()",
        BEGUN,
    ),
    ("no answer from even loads", "methods/staggered_start.py", "found == 0", "found >= 0", BEGUN),
    ("spread loads may pull", EVEN_K, "n, s, t = max(0.0, n), 0.0, 0.0", "n, s, t = n, 0.0, 0.0", EVEN),
    # Projected Gauss-Seidel.
    ("PGS bounds by the other iterate", SWEEP, "if i == 0 and not last:", "if i == 0 and last:", PAPERS),
    (
        "PGS rows of a contact do not see one another",
        SWEEP,
        "v[j] += own[j * m + i] * change[i]",
        "v[j] += 0.0",
        PAPERS,
    ),
    ("PGS relaxation left out", SWEEP, "step = relaxation * v[i] / a", "step = v[i] / a", PAPERS),
    # PROX of 2017.
    ("PROX nu .9 -> .5", PROX, '"local": 0.9', '"local": 0.5', PAPERS),
    ("PROX nu .5 -> .9", PROX, '"global": 0.5', '"global": 0.9', PAPERS),
    ("PROX r 5 -> 1", OPTIONS, "r_global: float = option(5.0,", "r_global: float = option(1.0,", PAPERS),
    (
        "PROX relative stop against the new merit",
        PROX_K,
        "abs(largest - last) < rules.relative * last",
        "abs(largest - last) < rules.relative * largest",
        PAPERS,
    ),
    (
        "PROX absolute stop at ten times",
        PROX_K,
        "if largest < rules.absolute or",
        "if largest < 10.0 * rules.absolute or",
        PAPERS,
    ),
    (
        "PROX rolls back where the merit repeats",
        PROX_K,
        "grown = largest > last or (rules.repeats and",
        "grown = largest > last or (True and",
        ("tests/contract/test_kernel_invariants.py",),
    ),
    (
        "PROX rolls back impulses but not w",
        PROX_K,
        "impulse[:], w[:] = old, old_w\n            state",
        "impulse[:] = old\n            state",
        ("tests/contract/test_kernel_invariants.py",),
    ),
    (
        "PROX shrinks r at every iteration",
        PROX_K,
        "        state[LAST] = largest\n",
        "        state[LAST] = largest\n        state[SCALE] *= 0.99\n",
        PAPERS,
    ),
    (
        "Jacobi that uses the new normal impulse",
        PROX_K,
        "normal = max(0.0, impulse[first]) if factors.jacobi else new[0]",
        "normal = new[0]",
        PAPERS,
    ),
    (
        "Gauss-Seidel that uses the old normal impulse",
        PROX_K,
        "normal = max(0.0, impulse[first]) if factors.jacobi else new[0]",
        "normal = max(0.0, impulse[first])",
        PAPERS,
    ),
    ("Jacobi that sees the newest w", PROX_K, "old_w if factors.jacobi else w, v)", "w, v)", PAPERS),
    (
        "blocked r includes the normal",
        PROX_K,
        "invert_rows(diagonal, o, m, 1, R)",
        "invert_rows(diagonal, o, m, 0, R)",
        PAPERS,
    ),
    # NNCG.
    ("NNCG beta halved", NNCG_K, "return square / previous", "return 0.5 * square / previous", PAPERS),
    ("NNCG never restarted", NNCG_K, "elif square > state[SQUARE]:", "elif square > 1e300:", PAPERS),
    ("NNCG with the other weight", NNCG_K, "if not polak_ribiere:", "if polak_ribiere:", PAPERS),
    ("NNCG direction not extended", NNCG_K, "direction[j] += change[j]", "direction[j] = change[j]", PAPERS),
    # Staggered projections.
    (
        "(28) without the kinetic metric",
        STAGGERED_K,
        "return kinetic_square(p, change, dof_count), kinetic_square(p, old_friction, dof_count)",
        "return (change**2).sum(), (old_friction**2).sum()",
        PAPERS,
    ),
    (
        "(28) relative to the new friction",
        STAGGERED_K,
        "kinetic_square(p, old_friction, dof_count)\n",
        "kinetic_square(p, friction, dof_count)\n",
        PAPERS,
    ),
    (
        "the cached friction is the worst",
        STAGGERED,
        "if residual < self.least:",
        "if residual > self.least or True:",
        PAPERS,
    ),
    # Newton of 2019.
    (
        "Newton's preconditioner r = 1",
        NEWTON,
        "r = np.divide(1.0, inverse, out=np.ones_like(inverse), where=inverse > 0)",
        "r = np.ones_like(inverse)",
        PAPERS,
    ),
    ("PCR replaced by PCG", LINEAR, '"pcr": conjugate_residual,', '"pcr": conjugate_gradient,', PAPERS),
    ("PCR with the step of CG", LINEAR, "square = Mp @ q", "square = p @ Mp", PAPERS),
    (
        "Fischer-Burmeister with the wrong derivative",
        NEWTON_K,
        "(1.0 - x / length) * r, v + x",
        "(1.0 + x / length) * r, v + x",
        PAPERS,
    ),
    ("Newton's full step", OPTIONS, "damping: float = option(0.75,", "damping: float = option(1.0,", PAPERS),
    (
        "Newton's clamp back",
        OPTIONS,
        "least_denominator: float = option(0.0,",
        "least_denominator: float = option(0.01,",
        PAPERS,
    ),
)
