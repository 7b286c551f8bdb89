"""The time left counts from the first finished step: before it the kernels are compiled and the scene prepared."""

import io

import pytest

import stiction as st
from stiction.solver.base import progress
from stiction.solver.base.progress import Progress, TimeLeft, clock


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def now(monkeypatch):
    """The time the helpers read [s], as a list of one number."""
    time = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: time[0])
    return time


def test_seconds_before_the_first_step_do_not_count(now):
    left = TimeLeft()
    assert left.seconds(0, 100) is None
    now[0] += 60.0  # compiling
    left.finished(1)
    assert left.seconds(1, 100) is None
    now[0] += 2.0
    left.finished(11)
    assert left.seconds(11, 100) == pytest.approx(0.2 * 89)


def test_a_resumed_run_counts_its_own_steps(now):
    left = TimeLeft()
    left.finished(501)
    now[0] += 1.0
    left.finished(511)
    assert left.seconds(511, 1000) == pytest.approx(0.1 * 489)


def test_the_terminal_says_no_time_before_there_is_one(now):
    stream = Terminal()
    shown = Progress(stream)
    now[0] += 60.0
    shown(1, 241)
    assert stream.getvalue().strip() == "0 %  1/241"
    now[0] += 1.0
    shown(3, 241)
    assert stream.getvalue().rpartition("\r")[2].strip() == "1 %  3/241, 1:59 left"


def test_a_new_stage_starts_anew(now):
    stream = Terminal()
    shown = Progress(stream)
    shown(1, 10)
    now[0] += 100.0
    shown.stage("next")
    now[0] += 30.0
    shown(1, 10)
    now[0] += 1.0
    shown(2, 10)
    assert stream.getvalue().rpartition("\r")[2].strip() == "20 %  2/10, 8 s left"


@pytest.mark.parametrize("seconds, text", [(0.4, "0 s"), (59.4, "59 s"), (125, "2:05"), (3725, "1:02:05")])
def test_clock(seconds, text):
    assert clock(seconds) == text


def test_without_a_terminal_there_are_lines_now_and_then(now):
    stream = io.StringIO()
    shown = Progress(stream)
    shown.stage("simulating")
    for done in range(1, 101):
        now[0] += 0.2
        shown(done, 100)
    lines = stream.getvalue().splitlines()
    shown(100, 100)
    assert stream.getvalue().splitlines() == lines, "the end is told once"
    assert lines[0] == "stiction: simulating" and "\r" not in stream.getvalue()
    assert lines[1] == " 25 %  25/100, 15 s left" and lines[-1].startswith("100 %") and len(lines) == 5


def test_a_sentence_between_does_not_run_into_the_line(now):
    stream = Terminal()
    shown = Progress(stream)
    shown(1, 10)
    now[0] += 1.0
    shown(2, 10)
    shown.note("first picture: out/funnel.png")
    assert stream.getvalue().endswith("\nstiction: first picture: out/funnel.png\n")


class Counting(Progress):
    def __call__(self, done, total, report=None):
        self.told = [*getattr(self, "told", []), (done, total, round(report.time, 12))]


def test_a_person_is_told_of_steps_made_together_once_and_a_function_of_each():
    floor = st.Body("floor", st.Box((4, 4, 1)), motion=st.Motion.STATIC, position=(0, 0, -0.5))
    scene, shown, seen = st.Scene((floor, st.Body("box", st.Box((1, 1, 1)), position=(0, 0, 0.5)))), Counting(), []
    st.simulate(scene, time=1.0, progress=shown)
    assert shown.told[-1] == (100, 100, 1.0) and len(shown.told) < 50
    st.simulate(scene, time=1.0, progress=lambda *one: seen.append(one))
    assert [(done, total) for done, total, _ in seen] == [(k, 100) for k in range(1, 101)]
    assert {one: report.time for one, _, report in seen} == pytest.approx({k: 0.01 * k for k in range(1, 101)})
