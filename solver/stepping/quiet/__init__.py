"""Quiet steps: many in one call of a kernel."""
