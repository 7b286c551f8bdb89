"""Studies: many runs of one scene with other parameters, and what they say with error bars."""
