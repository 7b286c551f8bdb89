"""CPU seconds of each test, its fixtures and the processes it waited for; the slowest are told at the end of a run.

CPU and not wall time: what a test costs does not depend on what else the machine does. A fixture of a session counts
for the test that asks for it first.
"""

import os
import resource
import time

import pytest

NAME = "cpu_seconds"


def cpu_seconds():
    """CPU time [s] of this process and of its children so far, of those that live where Linux tells it."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime + sum(map(_of_living, _children()))


def _children():
    """Numbers of the processes that threads of this one began; none of a thread that has just ended."""
    threads = os.listdir("/proc/self/task") if os.path.isdir("/proc/self/task") else ()
    return [number for thread in threads for number in _read(f"/proc/self/task/{thread}/children").split()]


def _of_living(number):
    """CPU time [s] of a process and of its ended children; 0 if it has just ended."""
    words = _read(f"/proc/{number}/stat").rpartition(")")[2].split()
    return sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")


def _read(path):
    """The text of a file of /proc; empty if what it tells of has ended."""
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


class CpuTimes:
    """Takes the times where tests run, and tells them where results are gathered (with xdist: in its first process)."""

    def __init__(self, told, path):
        """Tell the `told` slowest; add all to the file `path` if it is given, as tests end."""
        self.told, self.path = told, path
        self.of_test = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        """Remember when a test began."""
        self.began = cpu_seconds()
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        """Send the time with the report of the end, from whichever process the test ran in."""
        outcome = yield
        if call.when == "teardown":
            outcome.get_result().user_properties.append((NAME, cpu_seconds() - self.began))

    def pytest_runtest_logreport(self, report):
        """Keep the time that came with a report."""
        if report.when == "teardown":
            self.of_test[report.nodeid] = seconds = dict(report.user_properties)[NAME]
            if self.path:
                with open(self.path, "a") as file:
                    file.write(f"{seconds:.2f}\t{report.nodeid}\n")

    def pytest_terminal_summary(self, terminalreporter):
        """The sum and the slowest."""
        slowest = sorted(self.of_test.items(), key=lambda pair: -pair[1])
        if self.told and slowest:
            total = sum(self.of_test.values())
            terminalreporter.section(f"{total:.0f} s of CPU, the slowest of {len(slowest)} tests")
            for test, seconds in slowest[: self.told]:
                terminalreporter.line(f"{seconds:7.1f} s  {test}")
