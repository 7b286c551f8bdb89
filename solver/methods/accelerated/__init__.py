"""Accelerated Gauss-Seidel with a second-order finish: the default and the accurate method."""
