"""Kernels on a ContactProblem and of the judge; islands and their parts."""
