"""Which boxes overlap: colliders, where they are in the world, grids and sweeps."""
