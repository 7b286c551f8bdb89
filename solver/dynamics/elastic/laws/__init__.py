"""Elastic laws, one file each: energy density, its derivatives in the principal stretches, and what keeps volume."""
