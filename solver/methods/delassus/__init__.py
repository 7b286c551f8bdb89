"""Contacts given by their Delassus matrix alone."""
