"""Robots from URDF files as scenes."""
