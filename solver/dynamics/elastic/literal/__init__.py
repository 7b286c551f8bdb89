"""Deformable bodies in the form of Macklin et al. 2019: every element is a block of compliant rows."""
