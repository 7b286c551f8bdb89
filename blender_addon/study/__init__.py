"""Studies from the panel: settings, the study file that the command line reads, too, and the process that runs it."""
