"""Grips, and mechanisms that work by contact: no joints but bearings, and the hinges of a rope."""

from . import bolt, capstan, escapement, geneva, grasping, ratchet, toggle

ENTRIES = (*grasping.ENTRIES, *bolt.ENTRIES, *ratchet.ENTRIES, *toggle.ENTRIES, *capstan.ENTRIES, *geneva.ENTRIES,
           *escapement.ENTRIES)  # fmt: skip
