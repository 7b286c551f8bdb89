"""Grips, and mechanisms that work by contact: no joints but bearings, and the hinges of a rope."""

from . import allegro, bolt, capstan, escapement, geneva, grasping, ratchet, toggle

ENTRIES = (*grasping.ENTRIES, *allegro.ENTRIES, *bolt.ENTRIES, *ratchet.ENTRIES, *toggle.ENTRIES, *capstan.ENTRIES,
           *geneva.ENTRIES, *escapement.ENTRIES)  # fmt: skip
