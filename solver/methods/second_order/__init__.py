"""Proximal-point Newton and interior point on one island."""
