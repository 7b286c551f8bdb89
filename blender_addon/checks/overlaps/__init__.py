"""How deep two bodies overlap, and how they come apart."""
