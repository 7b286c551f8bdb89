"""A closed surface around what another surface encloses, on a grid of voxels.

Surface nets (Gibson 1998): a vertex in every cell whose corners are not all inside or all outside, a quadrilateral
across every grid edge that goes from inside to outside. Inside is decided by the winding number, so holes are closed,
overlapping parts joined and loose triangles made a solid. The result is always closed and oriented outward.
"""

import numpy as np

MOST_NODES = 2_000_000
# Corners of a cell, and its edges as pairs of them.
CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
EDGES = np.array([(a, b) for a in range(8) for b in range(a + 1, 8) if np.abs(CORNERS[a] - CORNERS[b]).sum() == 1])


def node_count(field, voxel):
    """Number of grid nodes a remesh with cells of edge `voxel` [m] takes."""
    return int(np.prod(np.ceil((field.high - field.low) / voxel) + 4))


def voxel_remesh(field, voxel):
    """Vertices (V,3) [m] and triangles (T,3) around where the winding number of a SolidField exceeds a half."""
    cells = np.ceil((field.high - field.low) / voxel).astype(int) + 3
    origin = field.center - 0.5 * cells * voxel
    shape = tuple(cells + 1)
    nodes = np.stack(np.meshgrid(*(np.arange(n) for n in shape), indexing="ij"), axis=-1).reshape(-1, 3)
    winding = np.abs(field.winding(origin + voxel * nodes)).reshape(shape)
    inside = winding > 0.5
    height = _heights(field, origin, voxel, winding, inside)
    vertices, number = _net_vertices(height, inside)
    return origin + voxel * vertices, _net_faces(inside, number)


def _heights(field, origin, voxel, winding, inside):
    """Signed distance from the surface in voxels, negative inside, at nodes beside the surface; elsewhere +-1.

    Across a hole, where no surface is near, the winding number takes its place.
    """
    height = np.where(inside, -1.0, 1.0)
    beside = np.zeros(inside.shape, dtype=bool)
    for axis in range(3):
        differs = np.diff(inside, axis=axis)
        low, high = [slice(None)] * 3, [slice(None)] * 3
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        beside[tuple(low)] |= differs
        beside[tuple(high)] |= differs
    near = np.argwhere(beside)
    distance = field.distance(origin + voxel * near) / voxel
    blurred = np.abs(winding[beside] - 0.5)
    size = np.where(distance < 1.0, distance, np.maximum(blurred, 1e-3))
    height[beside] *= np.maximum(size, 1e-6)
    return height


def _net_vertices(height, inside):
    """Vertices (V,3) in voxels, each the mean of its cell's crossings, and their numbers by cell (-1: none)."""
    cells = np.array(inside.shape) - 1
    count = sum(inside[x : x + cells[0], y : y + cells[1], z : z + cells[2]].astype(int) for x, y, z in CORNERS)
    at = np.argwhere((count > 0) & (count < 8))
    number = np.full(tuple(cells), -1)
    number[tuple(at.T)] = np.arange(len(at))
    values = np.stack([height[tuple((at + corner).T)] for corner in CORNERS], axis=1)
    a, b = values[:, EDGES[:, 0]], values[:, EDGES[:, 1]]
    crosses = (a < 0.0) != (b < 0.0)
    share = np.where(crosses, a / np.where(crosses, a - b, 1.0), 0.0)
    start, way = CORNERS[EDGES[:, 0]], CORNERS[EDGES[:, 1]] - CORNERS[EDGES[:, 0]]
    crossing = (start + share[:, :, None] * way) * crosses[:, :, None]
    return at + crossing.sum(axis=1) / crosses.sum(axis=1)[:, None], number


def _net_faces(inside, number):
    """Two triangles across every grid edge between inside and outside, outward."""
    triangles = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        low, high = [slice(None)] * 3, [slice(None)] * 3
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        leaves = inside[tuple(low)] & ~inside[tuple(high)]
        enters = ~inside[tuple(low)] & inside[tuple(high)]
        for edges, outward in ((leaves, True), (enters, False)):
            at = np.argwhere(edges)
            step_u, step_v = np.eye(3, dtype=int)[u], np.eye(3, dtype=int)[v]
            ring = [number[tuple((at - back).T)] for back in (step_u + step_v, step_v, 0 * step_u, step_u)]
            a, b, c, d = ring if outward else ring[::-1]
            triangles += [np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)]
    return np.concatenate(triangles)
