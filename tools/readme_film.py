"""Make the moving picture of the README from what `make demo` has simulated.

    python tools/readme_film.py [out/funnel.blend] [--width 480] [--every 2] [--quality 50]

Writes docs/images/funnel.webp and says how large it is, and docs/images/jam.png, a still of the jam.
"""

import argparse
import shutil
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
# Height of the pictures [pixels], and the moment of the still [s].
STILL, JAMMED = 540, 3.6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blend", nargs="?", type=Path, default=ROOT / "out" / "funnel.blend")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "images" / "funnel.webp")
    parser.add_argument("--still", type=Path, default=ROOT / "docs" / "images" / "jam.png")
    parser.add_argument("--width", type=int, default=480, help="of the moving picture")
    parser.add_argument("--every", type=int, default=2, help="of so many pictures one is kept")
    parser.add_argument("--quality", type=int, default=50)
    options = parser.parse_args()
    bpy.ops.wm.open_mainfile(filepath=str(options.blend.resolve()))
    ensure_registered()
    scene = bpy.context.scene
    with tempfile.TemporaryDirectory() as folder:
        film = Film(options.blend, "funnel", scene.frame_end, STILL, Path(folder) / "newest.png")
        try:
            film.begin(run_folder(scene))
            film.wait()
            pictures = film.pictures()
            pack(pictures[:: options.every], options)
            shutil.copyfile(pictures[round(JAMMED * FPS)], options.still)
        finally:
            film.close()
    print(f"{options.output}: {options.output.stat().st_size / 2**20:.2f} MiB; {options.still}")


def pack(files, options):
    """Write pictures as one that moves."""
    size = options.width, round(options.width * 9 / 16)
    pictures = [Image.open(path).convert("RGB").resize(size, Image.Resampling.LANCZOS) for path in files]
    step = round(1000 * options.every / FPS)
    duration = [step] * (len(pictures) - 1) + [LAST]
    pictures[0].save(options.output, save_all=True, append_images=pictures[1:], duration=duration, loop=0,
                     quality=options.quality, method=6)  # fmt: skip


if __name__ == "__main__":
    main()
