"""Joints in a run: tables for kernels, rows of a step, what changes from step to step, poses taken back onto joints."""
