"""Narrow phase of triangle meshes."""
