"""Draw the icon of the extension's listing: docs/images/listing-icon.png, 256 x 256 pixels.

    python tools/listing_icon.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.patches import Circle, FancyBboxPatch, Polygon
from matplotlib.transforms import Affine2D

TARGET = Path(__file__).resolve().parents[1] / "docs" / "images" / "listing-icon.png"
GROUND, BRICK, EDGE, BALL, FORCE = "#33363c", "#d9824b", "#8a4a24", "#6fa8dc", "#f4f4f4"


def main():
    """A ball that leans two bricks on a slope, with the force of their contact inside its friction cone."""
    figure = plt.figure(figsize=(2.56, 2.56), dpi=100)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 10), ylim=(0, 10), aspect="equal")
    axes.axis("off")
    axes.add_patch(FancyBboxPatch((0.3, 0.3), 9.4, 9.4, boxstyle="round,pad=0,rounding_size=1.6", fc="#20232a", lw=0))
    slope = Affine2D().rotate_deg_around(1.0, 2.0, 17)
    axes.add_patch(Polygon([(0.9, 1.0), (9.1, 1.0), (9.1, 4.45), (0.9, 1.95)], fc=GROUND, lw=0))
    for x, y, width in ((2.6, 2.0, 3.4), (6.1, 2.0, 2.0), (3.4, 3.7, 2.9)):
        box = FancyBboxPatch((x, y), width, 1.6, boxstyle="round,pad=0,rounding_size=0.18", fc=BRICK, ec=EDGE, lw=2)
        box.set_transform(slope + axes.transData)
        axes.add_patch(box)
    axes.add_patch(Circle((7.15, 6.6), 1.25, fc=BALL, ec="#3d6a94", lw=2))
    tip, left, right = slope.transform([(4.85, 5.3), (3.9, 8.2), (5.8, 8.2)])
    axes.add_patch(Polygon([tip, left, right], fc=FORCE, alpha=0.28, lw=0))
    end = slope.transform((5.35, 8.0))
    axes.annotate("", end, tip, arrowprops={"arrowstyle": "-|>", "color": FORCE, "lw": 3, "mutation_scale": 16})
    figure.savefig(TARGET, transparent=True)


if __name__ == "__main__":
    main()
