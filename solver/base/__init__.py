"""Threads, processes, progress, files of compiled kernels: knows nothing of mechanics."""
