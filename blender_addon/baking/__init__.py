"""Frames of a run to animation and back: what a bake replaced, what a person changed since."""
