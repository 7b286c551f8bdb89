"""Narrow phase of boxes, polytopes, spheres, capsules and cylinders."""
