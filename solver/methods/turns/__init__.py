"""Sweeps and proximal-point Newton steps in turns of doubling cost; docs/theory.md has the formulas."""
