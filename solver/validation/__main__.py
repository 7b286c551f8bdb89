"""Runs the cases, prints one line a comparison and writes validation.md with its pictures. Exit 1 if a case fails.

python -m stiction.solver.validation [--only NAME ...] [--update] [--quick] [--list] [--workers N] [--output FOLDER]
"""

import argparse
import sys
from pathlib import Path

from . import CASES
from .execute import run_cases
from .report import format_line, strangers, write_report

ROOT = Path(__file__).resolve().parents[2]


def main(arguments=None):
    """Run the validation from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m stiction.solver.validation", description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="run only these cases; writes no page")
    parser.add_argument("--update", action="store_true", help="with --only: put the results into the page there is")
    parser.add_argument("--quick", action="store_true", help="run only the cases of the default test suite")
    parser.add_argument("--list", action="store_true", help="print the cases and stop")
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--output", type=Path, default=None, help="folder of validation.md (default docs/)")
    options = parser.parse_args(arguments)
    if options.list:
        for case in CASES.values():
            print(f"{case.key:24s} {case.chapter:30s} {(case.run.__doc__ or '').splitlines()[0]}")
        return 0
    unknown = [name for name in options.only or () if name not in CASES]
    if unknown:
        print(f"no case {unknown[0]!r}; --list prints them", file=sys.stderr)
        return 2
    folder = options.output or ROOT / "docs"
    lost = strangers(folder) if options.update else []
    if lost:
        print(f"{folder / 'validation.json'} holds cases that are unknown here ({', '.join(lost)}): "
              "run the code that knows them, or take them out of the file", file=sys.stderr)  # fmt: skip
        return 2
    keys = options.only or [case.key for case in CASES.values() if case.quick or not options.quick]
    results = []
    for result in run_cases(keys, options.workers):
        results.append(result)
        for line in result.outcome.lines:
            print(format_line(result.key, line), flush=True)
    results.sort(key=lambda result: list(CASES).index(result.key))
    if options.only is None or options.update or options.output is not None:
        print(f"wrote {write_report(results, folder, options.update)}")
    failed = [result.key for result in results if not result.passed]
    print(
        f"{len(results) - len(failed)} of {len(results)} cases pass"
        + (f"; failing: {', '.join(failed)}" if failed else "")
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
