"""Deformable bodies that move in few vectors of their shape, in a frame that floats with them."""
