"""Contact generation: prepare a CollisionModel once, then find_contacts at every step."""

from .contacts import ContactSet, empty_contacts
from .pair_memory import PairMemory
from .pipeline import CollisionModel, find_contacts, prepare

__all__ = ["CollisionModel", "ContactSet", "PairMemory", "empty_contacts", "find_contacts", "prepare"]
