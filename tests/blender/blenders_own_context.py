"""Blender's own Python, without this extension: the tool settings are read once, another file is opened, and the window
is given a scene by way of bpy.context:

    blender --factory-startup --python tests/blender/blenders_own_context.py

Reading bpy.context.tool_settings makes the scene of that moment the owner of all that bpy.context gives out which is no
data-block of its own; Blender's list of brushes does it, too, in a mode of painting. The owner stays when the scene is
freed. Setting bpy.context.window.scene then tags the freed scene for an update: bits are written into what lies there
by now, and Blender 4.3 crashes at some later moment; 5.0.1 does not
make the scene the owner. Windows reached by way of the window manager have it as their
owner, so the monkey takes this way.
"""

import bpy


def owner():
    """Address of the data-block that owns what bpy.context gives out; None for none."""
    found = bpy.context.id_data
    return None if found is None else found.as_pointer()


def main():
    """Say who owns the window before, and after its owner was freed."""
    print("before the tool settings are read:", owner(), flush=True)
    bpy.context.tool_settings  # noqa: B018
    kept = bpy.context.scene.as_pointer()
    print("after:", owner() == kept, flush=True)
    bpy.ops.wm.read_homefile(use_empty=True)
    scenes = [scene.as_pointer() for scene in bpy.data.scenes]
    print(f"Blender {bpy.app.version_string}: owner is still the freed scene:", owner() == kept and kept not in scenes)


if __name__ == "__main__":
    main()
