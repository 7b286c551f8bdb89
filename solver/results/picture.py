"""A still of a run's bodies without Blender: surfaces seen from the front left, what moves in front of what stands."""

import io

import numpy as np

from ..dynamics import rotation
from ..dynamics.flow import poured
from ..scene import Motion

# From where it is looked, and where the light is.
DIRECTION, LIGHT = np.array([0.45, -1.0, 0.42]), np.array([0.35, -0.5, 0.8])
GROUND = (0.90, 0.91, 0.92)
PALETTE = ((0.90, 0.55, 0.15), (0.75, 0.22, 0.12), (0.10, 0.42, 0.52), (0.55, 0.60, 0.25), (0.40, 0.28, 0.50))
AMBIENT = 0.45


def surfaces(run, scene, frame):
    """[(whether it moves, vertices (V,3) [m] in the world, triangles (T,3))] of the bodies of a Scene, emitted
    ones too, that are there in one frame of its Trajectory."""
    turn, found = rotation.matrix(run.orientations[frame]), []
    entered, left = run.present.T
    there = (entered <= run.times[frame]) & (run.times[frame] < left)
    for i, body in enumerate(poured(scene).bodies):
        if not there[i]:
            continue
        if body.elastic is not None:
            vertices, triangles = bent_surface(run, i, frame)
        else:
            vertices, triangles = body.shape.surface()
            vertices = np.asarray(vertices) @ turn[i].T + run.positions[frame, i]
        found.append((body.motion == Motion.DYNAMIC, vertices, np.asarray(triangles)))
    return found


def bent_surface(run, body, frame):
    """(vertices (V,3) [m], triangles (T,3)) of a deformable body in one frame; vertices (F,V,3) in a slice of them."""
    rows = slice(*run.deformables["triangle_start"][body : body + 2])
    used, number = np.unique(run.deformables["triangles"][rows], return_inverse=True)
    return run.node_positions[frame][..., used, :], number.reshape(-1, 3)


def draw(run, scene, frame, axes):
    """Draw one frame into matplotlib's axes. What moves fills them, and nothing that stands hides it."""
    from matplotlib.collections import PolyCollection

    parts = surfaces(run, scene, frame)
    right, up, view = _camera()
    corners = np.concatenate([vertices[triangles] for _, vertices, triangles in parts])
    moves = np.repeat([part[0] for part in parts], [len(part[2]) for part in parts])
    colors = np.concatenate([np.tile(PALETTE[i * 7 % len(PALETTE)] if moving else GROUND, (len(triangles), 1))
                             for i, (moving, _, triangles) in enumerate(parts)])  # fmt: skip
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    seen = np.flatnonzero(normals @ view > 0)
    order = seen[np.lexsort((corners[seen].mean(axis=1) @ view, moves[seen]))]
    light = AMBIENT + (1 - AMBIENT) * np.clip(normals[order] @ (LIGHT / np.linalg.norm(LIGHT)), 0, 1)
    shaded = np.clip(colors[order] * light[:, None], 0, 1)
    flat = np.stack([corners[order] @ right, corners[order] @ up], axis=-1)
    axes.add_collection(PolyCollection(flat, facecolors=shaded, edgecolors=shaded, linewidths=0.2))
    shown = [part for part in parts if part[0]] or parts
    _fit(axes, np.concatenate([vertices for _, vertices, _ in shown]), right, up)


def _camera():
    """(right, up, towards the camera), unit vectors (3,)."""
    view = DIRECTION / np.linalg.norm(DIRECTION)
    right = np.cross([0.0, 0.0, 1.0], view)
    right /= np.linalg.norm(right)
    return right, np.cross(view, right), view


def _fit(axes, points, right, up):
    """Let the points (n,3) fill the axes, the stray few left out."""
    flat = np.stack([points @ right, points @ up], axis=1)
    low, high = np.percentile(flat, 1, axis=0), np.percentile(flat, 99, axis=0)
    middle, half = 0.5 * (low + high), 0.65 * max(float((high - low).max()), 1e-9)
    axes.set_xlim(middle[0] - half, middle[0] + half)
    axes.set_ylim(middle[1] - half, middle[1] + half)
    axes.set_aspect("equal")
    axes.axis("off")


def png_of(run, scene, frame=-1):
    """One frame as the bytes of a .png; None where matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    figure = Figure(figsize=(5, 5), layout="constrained")
    canvas, content = FigureCanvasAgg(figure), io.BytesIO()
    draw(run, scene, frame, figure.add_subplot())
    canvas.print_png(content)
    return content.getvalue()
