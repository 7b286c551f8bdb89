"""Progress of a long command, for people at a terminal."""

import sys
import time


class Progress:
    """Prints progress with the time left on stderr, at most a few times a second."""

    def __init__(self, stream=None):
        self.stream = sys.stderr if stream is None else stream
        self.start = self.last = time.perf_counter()

    def stage(self, label):
        """Name what comes next and start its clock."""
        print(f"stiction: {label}", file=self.stream, flush=True)
        self.start = self.last = time.perf_counter()

    def __call__(self, done, total, report=None):
        now = time.perf_counter()
        if done < total and now - self.last < 0.5:
            return
        self.last = now
        left = (now - self.start) / max(done, 1) * (total - done)
        state = ""
        if report is not None and hasattr(report, "contact_count"):
            state = f", {report.contact_count} contacts, residual {report.residual:.1e} m/s"
        end = "\n" if done >= total else ""
        line = f"\r{100 * done // max(total, 1):3d} %  {done}/{total}, {left:.0f} s left{state}"
        print(f"{line:<79}", end=end, file=self.stream, flush=True)
