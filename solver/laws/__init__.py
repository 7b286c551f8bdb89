"""Friction laws by name."""
