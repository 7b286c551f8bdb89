"""Make `import stiction` mean this checkout, whatever its folder is called and whether or not it is installed."""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

if "stiction" not in sys.modules:
    spec = importlib.util.spec_from_file_location(
        "stiction", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["stiction"] = module
    spec.loader.exec_module(module)


def pytest_terminal_summary(terminalreporter):
    """Say loudly which independent oracles were not asked."""
    reasons = {str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", ()) if report.longrepr}
    missing = sorted(reason for reason in reasons if "make oracles" in reason)
    for reason in missing:
        terminalreporter.section("ORACLES NOT RUN", sep="!")
        terminalreporter.write_line(reason.removeprefix("Skipped: "))
