"""Make the moving picture of the README from what `make demo` has simulated.

    python tools/readme_film.py [out/funnel.blend] [--height 270] [--every 2] [--quality 50]

Writes docs/images/funnel.webp and says how large it is.
"""

import argparse
import tempfile
from pathlib import Path

import bpy
from PIL import Image

from stiction.blender_addon.demos.stage import FPS
from stiction.blender_addon.film.film import Film
from stiction.blender_addon.running.places import run_folder
from stiction.blender_addon.running.registered import ensure_registered

ROOT = Path(__file__).resolve().parents[1]
# The last picture stays so long [ms].
LAST = 2500


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blend", nargs="?", default=ROOT / "out" / "funnel.blend")
    parser.add_argument("--output", default=ROOT / "docs" / "images" / "funnel.webp")
    parser.add_argument("--height", type=int, default=270)
    parser.add_argument("--every", type=int, default=2, help="of so many pictures one is kept")
    parser.add_argument("--quality", type=int, default=50)
    options = parser.parse_args()
    bpy.ops.wm.open_mainfile(filepath=str(Path(options.blend).resolve()))
    ensure_registered()
    scene = bpy.context.scene
    with tempfile.TemporaryDirectory() as folder:
        film = Film(options.blend, "funnel", scene.frame_end, options.height, Path(folder) / "newest.png")
        try:
            film.begin(run_folder(scene))
            film.wait()
            pack([Image.open(path).convert("RGB") for path in film.pictures()[:: options.every]], options)
        finally:
            film.close()
    print(f"{options.output}: {Path(options.output).stat().st_size / 2**20:.2f} MiB")


def pack(pictures, options):
    """Write the pictures as one that moves."""
    step = round(1000 * options.every / FPS)
    duration = [step] * (len(pictures) - 1) + [LAST]
    pictures[0].save(options.output, save_all=True, append_images=pictures[1:], duration=duration, loop=0,
                     quality=options.quality, method=6)  # fmt: skip


if __name__ == "__main__":
    main()
