"""What knows nothing of mechanics: threads, atomics, processes, progress, refusals, small vectors."""
