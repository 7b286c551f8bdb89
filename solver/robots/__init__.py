"""Robots from files of their own trade as scenes."""
