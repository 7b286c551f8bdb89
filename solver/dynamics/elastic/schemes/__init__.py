"""Time schemes of deformable bodies: the filtered midpoint rule, and those that know end points alone."""
