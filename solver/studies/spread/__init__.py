"""Studies spread over machines: parts and their joining, scene files that are sent along, what a study will cost."""
