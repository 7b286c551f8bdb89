"""Checks of what a body is made of: no mesh at all, one that goes through itself, a shape rounder than it."""
