"""Grips, and mechanisms that work by contact: no joints but bearings."""

from . import bolt, grasping, ratchet, toggle

ENTRIES = (*grasping.ENTRIES, *bolt.ENTRIES, *ratchet.ENTRIES, *toggle.ENTRIES)
