"""Joints before the first step: their tables, what of them cannot be, and the slack of what is straight."""
