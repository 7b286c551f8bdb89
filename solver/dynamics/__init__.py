"""Motion of bodies, and the contact problem of a step: masses, rows, right-hand sides, work."""
