"""What a run needs around its steps: options, checkpoints, compiled kernels ahead, overlap at the start."""
