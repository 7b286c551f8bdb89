"""Contacts over a step: when bodies are released, substeps, review, sleeping."""
