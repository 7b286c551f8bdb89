"""Progress of a long command, for people at a terminal, and the time left of anything made of steps."""

import sys
import time

# Seconds between two things said, at a terminal and where lines are kept.
AT_TERMINAL, IN_LINES = 0.5, 5.0


class TimeLeft:
    """Estimate of the time left, from the first finished step on: what goes before it (compiling, preparing) comes but
    once."""

    def __init__(self):
        self.first = None

    def finished(self, done):
        """Tell that so many steps are done."""
        if self.first is None:
            self.first = time.monotonic(), done

    def seconds(self, done, total):
        """Seconds left with `done` of `total` steps done; None before two steps are finished."""
        if self.first is None or done <= self.first[1]:
            return None
        start, before = self.first
        return (time.monotonic() - start) / (done - before) * (total - done)


class Progress:
    """Tells progress with the time left on stderr: in one line a few times a second at a terminal, else in a line of
    its own now and then."""

    def __init__(self, stream=None):
        self.stream = sys.stderr if stream is None else stream
        self.at_terminal = self.stream.isatty()
        self._start()

    def _start(self):
        self.last = time.monotonic()
        self.left = TimeLeft()
        self.open = self.ended = False

    def stage(self, label):
        """Name what comes next and start its clock."""
        self.note(label)
        self._start()

    def note(self, sentence):
        """Say something in a line of its own."""
        print(f"{chr(10) if self.open else ''}stiction: {sentence}", file=self.stream, flush=True)
        self.open = False

    def __call__(self, done, total, report=None):
        """Show that so many steps are done."""
        state = ""
        if report is not None and hasattr(report, "contact_count"):
            state = f", {report.contact_count} contacts, residual {report.residual:.1e} m/s"
        self.show(done, total, f"{done}/{total}", state)

    def show(self, done, total, said, state=""):
        """Show that so much of the work is done, with words before and behind the time left."""
        self.left.finished(done)
        now, before = time.monotonic(), self.ended
        # Once is enough: rounded, the end may be reached more than once.
        self.ended = done >= total
        if before and self.ended:
            return
        if done < total and now - self.last < (AT_TERMINAL if self.at_terminal else IN_LINES):
            return
        self.last = now
        seconds = self.left.seconds(done, total)
        left = "" if seconds is None else f", {clock(seconds)} left"
        line = f"{int(100 * done / max(total, 1e-300)):3d} %  {said}{left}{state}"
        self.open = self.at_terminal and done < total
        if self.at_terminal:
            line = f"\r{line:<79}"
        print(line, end="" if self.open else "\n", file=self.stream, flush=True)


def clock(seconds):
    """Seconds as 45 s, 2:05 or 1:02:05."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, second = divmod(whole, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour}:{minute:02d}:{second:02d}" if hour else f"{minute}:{second:02d}"
