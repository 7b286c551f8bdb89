"""What is made of runs and problems: arrays, dumps, comparisons, plots."""
