"""Write examples/hopper.blend: Add an Example > Balls in a Hopper, set up for a study.

    python tools/example_blend.py

Needs Blender's Python module of the oldest version that the extension is for (pip install bpy==4.2.0): older Blenders
cannot open the files of newer ones.
"""

import sys
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[1]


def main():
    if bpy.app.version >= (4, 3, 0):
        sys.exit(f"example_blend: this is bpy {bpy.app.version_string}, whose files older ones cannot open; use 4.2")
    sys.path.insert(0, str(ROOT / "tests"))
    import conftest  # noqa: F401

    import stiction

    stiction.register()
    # With Blender's camera and light, so that it renders.
    bpy.ops.wm.read_factory_settings()
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.context.scene.frame_end = 100
    bpy.ops.stiction.add_example(example="HOPPER")
    bpy.ops.stiction.study_set_up()
    bpy.context.preferences.filepaths.save_version = 0
    bpy.ops.wm.save_as_mainfile(filepath=str(ROOT / "examples" / "hopper.blend"), compress=True)


if __name__ == "__main__":
    main()
