"""Scenes of bench_links.py: chains and nets, fits, tips and cracks, each about 1 m large."""
