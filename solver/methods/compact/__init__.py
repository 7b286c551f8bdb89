"""The form of a problem with rigid bodies that sweeps fastest, and its sweeps."""
