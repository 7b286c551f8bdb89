"""Scenes as tutorials and forum answers build them, for Blender's own Rigid Body; without bpy they are left out."""

try:
    import bpy  # noqa: F401
except ImportError:
    collect_ignore_glob = ["test_*.py"]
