"""The program follows docs/theory.md: its terms, sweeps, proximal steps and turns, in plain numpy."""

from itertools import islice

import numpy as np
import problem_cases as cases
import pytest
from reference import theory
from reference.judging import bodies_of

from stiction.solver.collision.contacts import empty_contacts
from stiction.solver.dynamics import onset, step_kernels
from stiction.solver.dynamics.contact_step import StepTimes
from stiction.solver.dynamics.tables import StepColumns
from stiction.solver.methods.accelerated import accelerated, turn_kernels
from stiction.solver.methods.accelerated.accelerated import sweeper_of
from stiction.solver.methods.compact.accelerated_kernels import BEST, SWEEPS
from stiction.solver.methods.compact.compact import compact
from stiction.solver.methods.method_options import AcceleratedOptions
from stiction.solver.methods.second_order import proximal_newton_kernels as kernels
from stiction.solver.methods.second_order.block_lu_kernels import factor_work
from stiction.solver.methods.second_order.proximal_newton import ProximalNewton

# Below it steps differ by rounding alone [m/s].
GOAL = 1e-8
PROBLEMS = ["boxpile50_t3", "slide60_t0.6", "stack10_t0.5", "stack10_top100_t0.5", "stack20_t0.5"]


class Both:
    """The largest island of a saved problem: `rows` of the page, and the `body` (Compact) of the program."""

    def __init__(self, name):
        self.body = body = compact(cases.load(name))
        found = body.islands
        self.island = int(np.argmax(np.diff(found.block_start)))
        first, last = found.block_start[self.island : self.island + 2]
        order, (J, W, start) = found.blocks[first:last], bodies_of(body.problem)
        blocks = [np.arange(start[k], start[k + 1]) for k in order]
        self.rows = theory.rows_of_blocks(J @ theory.root(W), body.problem.b, body.problem.mu[order], blocks)
        self.of_page = np.concatenate(self.rows.blocks)
        self.of_program = slice(body.rows.row[first], body.rows.row[last])

    def swept(self, count):
        """The program's sweeper after `count` sweeps, a multiple of 50, from no impulse."""
        sweeper, _ = sweeper_of(self.body.problem, self.body, AcceleratedOptions(tolerance=0.0))
        sweeper.begin(np.zeros(self.body.problem.row_count))
        sweeper.advance(count - 50)
        return sweeper

    def differ(self, lam, x):
        """Largest difference of the program's impulses and the page's, as a part of the largest impulse."""
        mine, own = lam[self.of_program], x[self.of_page]
        return np.abs(mine - own).max() / np.abs(own).max()


@pytest.mark.parametrize("name", PROBLEMS)
def test_sweeps_with_momentum_are_those_of_the_page(name):
    both = Both(name)
    expected = theory.begin(np.zeros(len(both.rows.b)))
    for _ in range(100):
        theory.sweep(both.rows, expected)
    assert both.differ(both.swept(100).lam, expected.x) <= 1e-12


@pytest.mark.parametrize("name", PROBLEMS)
def test_proximal_steps_are_those_of_the_page(name):
    both = Both(name)
    start = both.swept(50).best.copy()
    x = np.zeros(len(both.rows.b))
    x[both.of_page] = start[both.of_program]
    proximal, state, base, done = ProximalNewton(both.body), kernels.begun(1.0, kernels.FIRST_STRENGTH), start.copy(), 0
    island, work = proximal.island(both.island), proximal.work._replace(base=base, best=start.copy())
    for solved, steps, theta, expected in islice(theory.newton(both.rows, x, GOAL), 6):
        assert state[kernels.STRENGTH] == pytest.approx(theta, rel=1e-12)
        kernels.proximal_steps(both.body.rows, island, (GOAL, 1 << 60, 1), state, work, proximal.scratch, None)
        done += steps
        assert state[kernels.STEPS] == done
        assert (state[kernels.FAILURES] == 0.0) == solved
        # A proximal step enlarges rounding by its strength.
        assert both.differ(base, expected) <= (1e-12 if theta <= 1e5 else 2e-11)
        if state[kernels.LEAST] <= GOAL:
            break


def test_turns_are_those_of_the_page(monkeypatch):
    """Steps that lead nowhere use up each turn, so that the whole schedule shows."""
    both, seen = Both("stack10_top100_t0.5"), []
    island = ProximalNewton(both.body).island(both.island)
    work = factor_work(island.pattern.indptr)
    cost = theory.cost_of_step(work, len(both.rows.blocks), island.span[3] - island.span[2])

    def in_vain(self, island, aim, start, base, best, clock):
        run = kernels.begun(*start)
        run[kernels.STEPS] = aim[1]
        return run

    def noted(turns, i, state, *given):
        found = steps_of_turn(turns, i, state, *given)
        seen.extend([(int(state[SWEEPS]), found)] if found else [])
        return found

    steps_of_turn = turn_kernels.steps_of_turn
    monkeypatch.setattr(ProximalNewton, "run", in_vain)
    monkeypatch.setattr(turn_kernels, "steps_of_turn", noted)
    problem = both.body.problem
    options = AcceleratedOptions(tolerance=0.0, max_iterations=20_000, record_history=True)
    accelerated.solve(problem, np.zeros(problem.row_count), options)
    expected = theory.turns(cost, lambda sweeps: sweeps, lambda steps: (steps, False), 4)
    assert len(seen) >= 4
    assert [sweeps for sweeps, _ in seen[:4]] == [sweeps for sweeps, _ in expected]
    assert list(np.cumsum([steps for _, steps in seen[:4]])) == [steps for _, steps in expected]


@pytest.mark.parametrize(("part", "follows"), [(0.05, True), (0.2, False)])
def test_a_turn_that_leaves_less_than_a_tenth_is_followed_by_another(part, follows):
    turns, state, run = turn_kernels.no_turns(1, 3), np.zeros(8), kernels.begun(part, 1e3)
    turns.cost[0], state[SWEEPS], state[BEST], run[kernels.STEPS] = 8.0, 200.0, 1.0, 10.0
    assert bool(turn_kernels.end_turn(turns, 0, state, GOAL, run)) == follows
    assert (turns.spent[0], state[BEST]) == (80.0, part)
    # Sweeps for as much as all turns so far have cost.
    assert turns.due[0] == (turn_kernels.FIRST_SWEEPS if follows else 280.0)


@pytest.mark.parametrize(("left", "steps"), [(200.0, 25), (199.0, 0)])
def test_a_turn_begins_only_where_the_work_left_allows_all_of_it(left, steps):
    turns, state = turn_kernels.no_turns(1, 3), np.zeros(8)
    turns.cost[0], state[SWEEPS], state[BEST] = 8.0, 200.0, 1.0
    aims = turn_kernels.Aims(np.array([GOAL]), np.array([200.0 + left]))
    assert turn_kernels.steps_of_turn(turns, 0, state, aims, (0, 3), np.ones(3)) == steps
    assert turns.base.tolist() == ([1.0] * 3 if steps else [0.0] * 3)


def test_a_block_column_of_m_entries_counts_m_squared_and_more():
    """A chain of n bodies: columns with one entry below the diagonal, and one without."""
    both = Both("stack10_t0.5")
    assert factor_work(ProximalNewton(both.body).island(both.island).pattern.indptr) == 9 * 3 + 1


def test_gaps_and_restitution_are_those_of_the_page():
    rng, count, h, T, threshold = np.random.default_rng(5), 2000, 0.01, 0.0125, 0.05
    gap, e = rng.normal(0.0, 0.01, count), rng.choice([0.0, 0.3, 0.9], count)
    before = rng.normal(0.0, 1.0, (count, 4))
    # Some are open as far as they close in a step, so that a gap is left after an impact within it.
    gap[::2] = rng.uniform(0.0, 1.0, len(gap[::2])) * h * np.abs(before[::2, 0])
    free = before + h * rng.normal(0.0, 20.0, (count, 4))
    e_T, hit, target = rng.choice([0.0, 0.5], count), np.empty(count, dtype=bool), np.empty(count)
    step = StepColumns(empty_contacts()._replace(gap=gap), np.zeros((0, 3, 3)), e, e_T, before, free,
                       rng.random(count) < 0.1)  # fmt: skip
    step_kernels.bounce_targets(step, StepTimes(h, 0.5 * h, T), threshold, hit, target)
    parts = onset.let_part(step, threshold, np.zeros(count, dtype=np.int64), hit, target)
    b = np.zeros(3 * count)
    step_kernels.add_velocity_targets(np.arange(0, 3 * count + 1, 3), step, T, hit, target, b)
    expected, *which = theory.velocity_terms(h, T, threshold, gap, e, e_T, before, free, step.late)
    assert np.array_equal([hit, parts], which)
    np.testing.assert_allclose(b.reshape(-1, 3), expected, rtol=1e-12, atol=1e-14)
    left = hit & (gap + 0.5 * h * free[:, 0] > 0.0)
    assert hit.sum() > 200 and left.sum() > 20 and parts.sum() > 200 and (hit & parts).sum() > 20
