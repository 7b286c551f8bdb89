"""Contact generation: prepare a CollisionModel once, then find_contacts at every step."""
