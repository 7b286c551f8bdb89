"""Make `import stiction` mean this checkout, whatever its folder is called and whether or not it is installed."""

import gc
import importlib.util
import os
import sys
from pathlib import Path

import pytest
from cpu_times import CpuTimes

ROOT = Path(__file__).resolve().parents[1]
# As processes of the solver have it (solver/base/processes.py), before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if "stiction" not in sys.modules:
    spec = importlib.util.spec_from_file_location(
        "stiction", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["stiction"] = module
    spec.loader.exec_module(module)


def pytest_addoption(parser):
    """Which CPU times are told, and where all of them go."""
    parser.addoption("--slowest", type=int, default=0, metavar="N", help="tell the CPU time of the N slowest tests")
    parser.addoption("--cpu-times", metavar="FILE", help="write the CPU time of every test, a line each")


def pytest_configure(config):
    """Take CPU times, in workers too; they are written where results are gathered."""
    path = None if hasattr(config, "workerinput") else config.getoption("cpu_times")
    config.pluginmanager.register(CpuTimes(config.getoption("slowest"), path))


def pytest_sessionstart():
    """Tests compile functions of their own that call kernels, which numba does not know where a library has them."""
    from stiction.solver.kernels.ways import LIBRARY, way

    if way() == LIBRARY:
        from stiction.solver.kernels.library.missing import introduce

        introduce()


def pytest_collection_finish():
    """Modules and thousands of tests stay to the end: searches for unreachable objects need not go over them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_kernel_is_missing(request):
    """The library holds all that tests of the product call; `compiles` marks those that call what it never does."""
    from stiction.solver.kernels.ways import LIBRARY, way

    yield
    if way() == LIBRARY:
        from stiction.solver.kernels.library.calls import missing

        names, _ = sorted(missing), missing.clear()
        allowed = request.node.get_closest_marker("compiles")
        assert allowed or not names, f"run make signatures: the library has no {names}"


def pytest_terminal_summary(terminalreporter):
    """Say loudly which independent oracles were not asked."""
    reasons = {str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", ()) if report.longrepr}
    missing = sorted(reason for reason in reasons if "make oracles" in reason)
    for reason in missing:
        terminalreporter.section("ORACLES NOT RUN", sep="!")
        terminalreporter.write_line(reason.removeprefix("Skipped: "))
