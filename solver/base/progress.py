"""Progress of a long command, for people at a terminal, and the time left of anything made of steps."""

import sys
import time


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
    """Prints progress with the time left on stderr, at most a few times a second."""

    def __init__(self, stream=None):
        self.stream = sys.stderr if stream is None else stream
        self._start()

    def _start(self):
        self.last = time.monotonic()
        self.left = TimeLeft()

    def stage(self, label):
        """Name what comes next and start its clock."""
        print(f"stiction: {label}", file=self.stream, flush=True)
        self._start()

    def __call__(self, done, total, report=None):
        """Show that so many steps are done."""
        self.left.finished(done)
        now = time.monotonic()
        if done < total and now - self.last < 0.5:
            return
        self.last = now
        seconds = self.left.seconds(done, total)
        left = "" if seconds is None else f", {clock(seconds)} left"
        state = ""
        if report is not None and hasattr(report, "contact_count"):
            state = f", {report.contact_count} contacts, residual {report.residual:.1e} m/s"
        end = "\n" if done >= total else ""
        line = f"\r{100 * done // max(total, 1):3d} %  {done}/{total}{left}{state}"
        print(f"{line:<79}", end=end, file=self.stream, flush=True)


def clock(seconds):
    """Seconds as 45 s, 2:05 or 1:02:05."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, second = divmod(whole, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour}:{minute:02d}:{second:02d}" if hour else f"{minute}:{second:02d}"
