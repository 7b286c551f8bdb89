"""Few contacts of a pair that hold it like all of them."""
