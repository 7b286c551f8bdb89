"""Run the benchmarks of `make bench` one after the other and print their figures."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
BENCHMARKS = (
    "bench_start.py",
    "bench_sweep.py",
    "bench_step.py",
    "bench_contacts.py",
    "bench_mesh_pairs.py",
    "bench_bake.py",
)


def main():
    """Run each benchmark as a process of its own; return the number of those that failed."""
    failed = 0
    for name in BENCHMARKS:
        print(f"== {name}", flush=True)
        failed += subprocess.run([sys.executable, str(FOLDER / name)], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
