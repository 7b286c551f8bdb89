"""Elastic laws, one file each: energy density, derivatives in the principal stretches, projection; and tensors."""
