"""Studies, and what bodies come and go through."""
