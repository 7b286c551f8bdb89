"""Triangle meshes made from formulas: for scenes, tests and measurements.

Every function returns vertices (V,3) [m] and triangles (T,3). All but `grid_plane` are closed, outward oriented
solids, and bit for bit the same at every call.
"""

import numpy as np


def _quads(a, b, c, d):
    """Two triangles for every quadrilateral a, b, c, d (arrays of vertex numbers); collapsed ones are dropped."""
    a, b, c, d = (np.ravel(x) for x in (a, b, c, d))
    triangles = np.stack((np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)), axis=1).reshape(-1, 3)
    p, q, r = triangles.T
    return triangles[(p != q) & (q != r) & (r != p)]


def lathe(profile, segments=32, loop=False, phase=0.0):
    """Surface of revolution about z of the `profile`, points (radius, z) [m].

    An open profile begins and ends on the axis; a `loop` is a closed curve off the axis. Passed with the solid
    on the left (outer side upward) it gives an outward surface. phase [rad] turns the first segment.
    """
    profile = np.asarray(profile, dtype=float)
    angle = phase + 2.0 * np.pi * np.arange(segments) / segments
    vertices: list = []
    rings: list = []
    for radius, z in profile:
        if radius < 1e-12:
            rings.append(np.full(segments, len(vertices)))
            vertices.append((0.0, 0.0, z))
        else:
            rings.append(len(vertices) + np.arange(segments))
            vertices += [(radius * np.cos(a), radius * np.sin(a), z) for a in angle]
    lower = np.array(rings if loop else rings[:-1])
    upper = np.array(rings[1:] + rings[:1] if loop else rings[1:])
    triangles = _quads(lower, np.roll(lower, -1, axis=1), np.roll(upper, -1, axis=1), upper)
    return np.array(vertices), triangles


def cells(x, y, z, filled):
    """Union of the boxes of an uneven grid: edges x (nx+1,), y, z [m], filled (nx,ny,nz) bool."""
    lines = [np.asarray(line, dtype=float) for line in (x, y, z)]
    shape = tuple(len(line) for line in lines)
    vertices = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3)
    number = np.arange(len(vertices)).reshape(shape)
    solid = np.pad(np.asarray(filled, dtype=bool), 1)
    squares = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for step in (-1, 1):
            face = solid & ~np.roll(solid, -step, axis=axis)
            at = np.argwhere(face[1:-1, 1:-1, 1:-1])
            at[:, axis] += step > 0
            shift = np.eye(3, dtype=int)
            square = [number[tuple((at + s).T)] for s in (0 * shift[0], shift[u], shift[u] + shift[v], shift[v])]
            squares.append(_quads(*(square if step > 0 else square[::-1])))
    used, triangles = np.unique(np.concatenate(squares), return_inverse=True)
    return vertices[used], triangles.reshape(-1, 3)


def plate(size=(1.0, 1.0, 0.1), pieces=(1, 1)):
    """Box of full lengths `size` [m], its top and bottom cut into `pieces` rectangles along x and y."""
    x, y = (np.linspace(-0.5 * size[k], 0.5 * size[k], pieces[k] + 1) for k in range(2))
    return cells(x, y, (-0.5 * size[2], 0.5 * size[2]), np.ones((*pieces, 1)))


def grid_plane(size=(10.0, 10.0), pieces=(1, 1)):
    """Open rectangle in the plane z = 0 with normal +z, cut into `pieces` rectangles of two triangles."""
    x, y = (np.linspace(-0.5 * size[k], 0.5 * size[k], pieces[k] + 1) for k in range(2))
    vertices = np.stack(np.meshgrid(x, y, [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
    number = np.arange(len(vertices)).reshape(len(x), len(y))
    return vertices, _quads(number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:])


def icosphere(radius=0.5, subdivisions=2):
    """Icosahedron with every triangle split in four `subdivisions` times, corners on the sphere."""
    g = 0.5 * (1.0 + np.sqrt(5.0))
    vertices = np.array(
        [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g)]
        + [(0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)],
        dtype=float,
    )
    triangles = np.array(
        [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6)]
        + [(7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10)]
        + [(8, 6, 7), (9, 8, 1)]
    )
    for _ in range(subdivisions):
        halves = np.sort(np.stack((triangles, np.roll(triangles, -1, axis=1)), axis=-1), axis=-1).reshape(-1, 2)
        edges, middle = np.unique(halves, axis=0, return_inverse=True)
        middle = len(vertices) + middle.reshape(-1, 3)
        vertices = np.concatenate((vertices, 0.5 * (vertices[edges[:, 0]] + vertices[edges[:, 1]])))
        (a, b, c), (ab, bc, ca) = triangles.T, middle.T
        triangles = np.stack((a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca), axis=1).reshape(-1, 3)
    return radius * vertices / np.linalg.norm(vertices, axis=1)[:, None], triangles


def torus(major=0.4, minor=0.12, major_segments=40, minor_segments=14, phase=0.0):
    """Ring about z: radius `major` of the ring, `minor` of its tube [m]; phase [rad] turns the first segment."""
    angle = 2.0 * np.pi * np.arange(minor_segments) / minor_segments
    profile = np.stack((major + minor * np.cos(angle), minor * np.sin(angle)), axis=1)
    return lathe(profile, major_segments, loop=True, phase=phase)


def gear(teeth=12, root_radius=0.35, tip_radius=0.5, height=0.2, bore=0.12):
    """Spur gear with straight flanks and a bore, axis z [m]."""
    share = np.array([0.0, 0.25, 0.35, 0.65, 0.75])
    radius = np.tile([root_radius, root_radius, tip_radius, tip_radius, root_radius], teeth)
    angle = (2.0 * np.pi / teeth * (np.arange(teeth)[:, None] + share)).ravel()
    n = len(angle)
    around = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    rings = []
    for r, z in ((radius, -0.5), (radius, 0.5), (np.full(n, bore), -0.5), (np.full(n, bore), 0.5)):
        rings.append(np.column_stack((r[:, None] * around, np.full(n, z * height))))
    i = np.arange(n)
    j = (i + 1) % n
    triangles = np.concatenate(
        (
            _quads(i, j, n + j, n + i),
            _quads(2 * n + j, 2 * n + i, 3 * n + i, 3 * n + j),
            _quads(n + i, n + j, 3 * n + j, 3 * n + i),
            _quads(j, i, 2 * n + i, 2 * n + j),
        )
    )
    return np.concatenate(rings), triangles


def jack(length=1.0, width=0.2, pieces=(1, 1)):
    """Three square bars of this length and width [m] crossed at right angles and united.

    pieces: how many rows of faces the width and each arm's length are cut into.
    """
    a, b = 0.5 * width, 0.5 * length
    core, arm = np.linspace(-a, a, pieces[0] + 1), np.linspace(a, b, pieces[1] + 1)[1:]
    line = np.concatenate((-arm[::-1], core, arm))
    middle = np.abs(0.5 * (line[1:] + line[:-1])) > a
    x, y, z = np.meshgrid(middle, middle, middle, indexing="ij")
    return cells(line, line, line, x.astype(int) + y + z <= 1)


def head(radius=0.5, segments=32, rings=17):
    """A head with ears, a snout and sunken eyes: a smooth shape with hollows, axis z, within `radius` [m]."""
    polar = np.pi * np.arange(rings) / (rings - 1)
    vertices, triangles = lathe(np.stack((np.sin(polar), -np.cos(polar)), axis=1), segments)
    features = (
        ((0.0, 0.95, 0.3), 0.4, 0.25), ((0.0, -0.95, 0.3), 0.4, 0.25), ((1.0, 0.0, -0.45), 0.35, 0.25),
        ((0.85, 0.4, 0.25), -0.2, 0.2), ((0.85, -0.4, 0.25), -0.2, 0.2), ((0.0, 0.0, -1.0), -0.15, 0.5),
    )  # fmt: skip
    swell = np.full(len(vertices), 0.62)
    for way, height, width in features:
        away = vertices - np.array(way) / np.linalg.norm(way)
        swell += height * np.exp(-(away**2).sum(axis=1) / (2.0 * width**2))
    return radius * (swell / swell.max())[:, None] * vertices, triangles


def chalice(height=1.0, segments=32):
    """Cup on a stem and a foot; axis z, standing on z = -height/2 [m]."""
    outer = [(0.0, -0.5), (0.28, -0.5), (0.28, -0.47), (0.05, -0.42), (0.04, -0.1), (0.1, 0.0), (0.25, 0.12)]
    rim = [(0.3, 0.3), (0.31, 0.5), (0.28, 0.5), (0.27, 0.3)]
    inner = [(0.22, 0.14), (0.08, 0.04), (0.0, 0.03)]
    return lathe(height * np.array(outer + rim + inner), segments)


def wine_glass(height=0.2, wall=0.008, segments=48):
    """Thin-walled glass; axis z, standing on z = -height/2; `wall` is a share of the height."""
    outer = [(0.0, -0.5), (0.28, -0.5), (0.28, -0.5 + wall), (0.02, -0.47), (0.02, -0.1), (0.1, 0.0), (0.25, 0.12)]
    rim = [(0.3, 0.3), (0.31, 0.5), (0.31 - wall, 0.5), (0.3 - wall, 0.3)]
    inner = [(0.25 - wall, 0.12 + 0.4 * wall), (0.1 - 0.5 * wall, 0.9 * wall), (0.0, 0.6 * wall)]
    return lathe(height * np.array(outer + rim + inner), segments)


def tumbler(height=0.66, radius=0.22, wall=0.033, segments=12):
    """Straight drinking glass with a thick foot; axis z, standing on z = -height/2 [m]."""
    half = 0.5 * height
    outer = [(0.0, -half), (0.8 * radius, -half), (radius, half)]
    inner = [(radius - wall, half), (0.8 * radius - wall, -half + 1.5 * wall), (0.0, -half + 1.5 * wall)]
    return lathe(outer + inner, segments)


def beaker(radius=3.0, height=4.0, wall=0.2, segments=32):
    """Wide glass to pour into: inner radius (of its corners) and inner height [m], its inner floor at z = 0."""
    outside = radius + wall
    return lathe([(0, -wall), (outside, -wall), (outside, height), (radius, height), (radius, 0), (0, 0)], segments)


def extruded(outline, depth):
    """Prism of an outline (n,2) [m] in the xz plane, `depth` along y [m], its middle at y = 0.

    The outline runs counterclockwise (x right, z up) and is seen whole from its first corner. The first n
    vertices are those at -y.
    """
    outline = np.asarray(outline, dtype=float)
    n = len(outline)
    vertices = np.concatenate([np.column_stack((outline[:, 0], np.full(n, y), outline[:, 1])) for y in (-1.0, 1.0)])
    vertices[:, 1] *= 0.5 * depth
    i = np.arange(n)
    j = (i + 1) % n
    fan = np.column_stack((np.zeros(n - 2, dtype=int), i[1:-1], i[2:]))
    return vertices, np.concatenate((fan, n + fan[:, ::-1], _quads(j, i, n + i, n + j)))


def hopper(top=1.0, bottom=0.25, height=0.8, spout=0.2, wall=0.03, square=True, segments=32):
    """Funnel with solid walls, open above and below; the spout's mouth is at z = 0 [m].

    top, bottom: inner half widths (square) or radii at the upper rim and in the spout. wall: horizontal thickness.
    """
    inner = np.array([(top, spout + height), (bottom, spout), (bottom, 0.0)])
    outer = inner[::-1] + (wall, 0.0)
    loop = np.concatenate((inner, outer))
    if not square:
        return lathe(loop, segments, loop=True)
    return lathe(loop * (np.sqrt(2.0), 1.0), 4, loop=True, phase=0.25 * np.pi)
