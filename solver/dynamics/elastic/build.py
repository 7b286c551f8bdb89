"""From a body of a scene to its Deformable: everything that can be wrong with it is said here."""

import os
from dataclasses import replace
from functools import partial

import numpy as np

from ...base.late import late
from ...base.refusal import SceneError, finite, vector
from ...laws.elastic_laws import ELEMENTS, LAWS
from ...meshes.meshers import MESHERS
from ...scene import ELASTIC_ROWS, Reduction
from ..reduced.build import reduced_shape
from ..reduced.checks import check_reduction
from . import search_kernels
from .deformable import deformable
from .elements import bent_onto, boundary_faces, with_middle_nodes
from .pins import check_pin_keys, check_pin_points, followed, goals_of, points_at

spatial = late("scipy.spatial")

# Young's modulus [Pa] beyond which a number cannot be meant: a thousand times diamond's.
MOST_YOUNG = 1e15


def build_deformable(body, density, origin, turn):
    """Deformable of a Body with `elastic`, whose shape frame lies at `origin` (3,), turned by `turn` (3,3).

    density [kg/m^3] is overridden by the body's mass. Raises SceneError.
    """
    who, elastic = f"body {body.name!r}", body.elastic
    check_elastic(who, body)
    check_pin_keys(who, body)
    vertices, tets, filling = _filled(who, body)
    whole = np.abs(np.linalg.det(vertices[tets[:, 1:]] - vertices[tets[:, :1]])).sum() / 6.0
    density = _density(who, body, density, filling, whole)
    total = density * whole
    placed = vertices @ turn.T + origin
    check_pin_points(who, elastic, placed)
    middles = placed[tets].mean(axis=1)
    density = density * _heavier(who, elastic.mass_points, placed, tets)
    young = np.asarray(elastic.young, dtype=float)
    young = young * _factors(who, "stiffness_points", elastic.stiffness_points, middles)
    if np.max(young) > MOST_YOUNG:
        raise SceneError(f"{who}: stiffness_points make young {np.max(young):g} Pa; give smaller factors, or a smaller "
                         f"young, for at most {MOST_YOUNG:g} Pa")  # fmt: skip
    bend = partial(_onto_surface, body.shape, origin, turn) if elastic.bent else None
    made = deformable(
        placed, tets, young, elastic.poisson, density, law=elastic.law,
        element=elastic.element, damping=elastic.damping,
        pinned=lambda nodes: _pinned(who, elastic, nodes, whole / len(tets)),
        says="" if filling is None else filling.says(), self_contact=bool(elastic.self_contact),
        pressure=_pressure(who, elastic.pressure), inflated=_inflated(who, elastic, placed, tets), bend=bend,
    )  # fmt: skip
    made = replace(made, noted=filling is not None and filling.worth_a_note())
    if elastic.bent:
        # What bent edges add has no mass of its own.
        error = made.volume.sum() / filling.volume - 1.0
        made = replace(made, mass=made.mass * (total / made.mass.sum()), noted=filling.worth_a_note(error),
                       says=f"{made.says}; volume {100 * error:+.1f} % with bent edges")  # fmt: skip
    if made.pressure and len(made.cavity[0]) == 0:
        raise SceneError(f"{who}: has a pressure and no closed cavity that it could fill; remove the pressure, or give "
                         "the mesh an inner surface")  # fmt: skip
    check_memory(who, made)
    if made.pinned.all():
        raise SceneError(f"{who}: all of its {made.node_count} nodes are pinned; make it static or pin fewer")
    made = made if elastic.pin_keys is None else _following(made, elastic)
    if elastic.reduction is not None:
        made = replace(made, reduced=reduced_shape(who, elastic, made))
    begins = _begun(who, body, made, origin, turn) if elastic.start else None
    return replace(made, goals=goals_of(who, elastic, made), begins=begins)


def _begun(who, body, made, origin, turn):
    """Nodes (n,3) of a Deformable in the world at the start, of a Body whose vertices start elsewhere."""
    if body.shape.type != "tetrahedra":
        raise SceneError(f"{who}: has a start, and its tetrahedra are made anew; give a shape of tetrahedra")
    if made.driven.any() or body.elastic.goals:
        raise SceneError(f"{who}: has a start and pins or goals, which hold nodes where the shape has them; remove one "
                         "of them, or attach the body to others")  # fmt: skip
    start, used = body.elastic.start, np.unique(body.shape.tets)
    if len(start) != len(body.shape.vertices):
        raise SceneError(f"{who}: start has {len(start)} places, and the shape {len(body.shape.vertices)} vertices; "
                         "give one for each")  # fmt: skip
    corners = np.array([vector(who, f"place {k} of the start", start[k], 3, "m") for k in used]) @ turn.T + origin
    quadratic = made.elements.shape[1] == 10
    nodes = with_middle_nodes(corners, made.elements[:, :4])[0] if quadratic else corners
    if made.reduced is not None and made.reduced.dents is None:
        # What the vectors of the shape show of it; where there are dents, the rest is one.
        return made.reduced.places(made.reduced.motion(nodes, np.zeros_like(nodes)))
    least = made.least_stretch(nodes)
    if not least > 0.0:
        raise SceneError(f"{who}: its start turns a tetrahedron inside out (det F {least:.2g}); correct the places")
    return nodes


def _density(who, body, density, filling, whole):
    """Density [kg/m^3] of tetrahedra of the volume `whole` [m^3] that gives them the mass of their body."""
    if body.mass is not None:
        if not finite(body.mass) or body.mass <= 0:
            raise SceneError(f"{who}: mass is {body.mass} kg; set a value above 0")
        return body.mass / whole
    if filling is not None:
        # The mass is that of the surface, whatever the tetrahedra miss of it.
        density *= filling.volume / whole
    if not density > 0:
        raise SceneError(f"{who}: density is {density} kg/m^3; give its material a value above 0")
    return density


def _following(made, elastic):
    """The Deformable whose pinned nodes follow the keyed points of an Elastic."""
    times = np.asarray(elastic.pin_keys.times, dtype=float)
    paths = np.asarray(elastic.pin_keys.points, dtype=float)
    points = points_at(times, paths, 0.0)
    return replace(made, pin_times=times, pin_paths=followed(made.rest[made.pinned], points, paths))


def _onto_surface(shape, origin, turn, nodes, elements):
    """Places (n,3) of nodes (n,3) of straight quadratic elements (T,10): the middle ones of outer edges on the surface
    of a shape whose frame lies at `origin` (3,), turned by `turn` (3,3)."""
    corners, triangles = shape.surface()
    corners = np.ascontiguousarray(np.asarray(corners, dtype=float) @ turn.T + origin)
    triangles = np.ascontiguousarray(triangles, dtype=np.int64)
    outer = np.unique(boundary_faces(elements)[:, 3:])
    points, nearest = np.ascontiguousarray(nodes[outer]), np.empty(len(outer), dtype=np.int64)
    weights = np.empty((len(outer), 3))
    search_kernels.nearest_triangle(corners, triangles, points, nearest)
    search_kernels.triangle_weights(corners, triangles[nearest], points, weights)
    wanted = nodes.copy()
    wanted[outer] = np.einsum("ck,cki->ci", weights, corners[triangles[nearest]])
    return bent_onto(nodes, elements, wanted)


def check_memory(who, body, room=None):
    """Refuse a Deformable whose factor would not fit into `room` [bytes], None: what the machine has."""
    # Twice the factor's: the updates of fronts stand beside it.
    needed = 2 * 8 * int(body.symbolic.panel_start[-1])
    room = machine_memory() if room is None else room
    if needed > room:
        raise SceneError(
            f"{who}: {len(body.elements)} tetrahedra need about {needed / 2**30:.2g} GiB, and there are "
            f"{room / 2**30:.2g} GiB; give a larger element_size"
        )


def machine_memory():
    """Memory of the machine [bytes]; where it does not say, no limit."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return float("inf")


def check_elastic(who, body):
    """Refuse what no elastic body can be."""
    elastic = body.elastic
    if elastic.law not in LAWS:
        raise SceneError(f"{who}: elastic law is {elastic.law!r}; choose one of {', '.join(LAWS)}")
    if elastic.element not in ELEMENTS:
        raise SceneError(f"{who}: element is {elastic.element!r}; choose one of {', '.join(ELEMENTS)}")
    if elastic.mesher not in MESHERS:
        raise SceneError(f"{who}: mesher is {elastic.mesher!r}; choose one of {', '.join(MESHERS)}")
    if str(body.motion) != "dynamic":
        raise SceneError(f"{who}: is {body.motion} and deformable; make it dynamic and pin it, or remove elastic")
    law, element = LAWS[elastic.law], ELEMENTS[elastic.element]
    _check_kinds(who, elastic)
    young, poisson = np.asarray(elastic.young, dtype=float), np.asarray(elastic.poisson, dtype=float)
    if not np.all(np.isfinite(young)) or np.any(young <= 0.0) or np.any(young > MOST_YOUNG):
        raise SceneError(f"{who}: young is {elastic.young}; give a value above 0 Pa and up to {MOST_YOUNG:g} Pa")
    if not np.all(np.isfinite(poisson)) or np.any(poisson <= -1.0) or np.any(poisson >= 0.5):
        raise SceneError(f"{who}: poisson is {elastic.poisson}; give a value above -1 and up to "
                         f"{element.most_poisson}")  # fmt: skip
    if np.any(poisson > element.most_poisson):
        other = " or choose t10, which takes up to 0.4999" if elastic.element == "t4" else ""
        raise SceneError(f"{who}: poisson is {elastic.poisson}; tetrahedra {elastic.element} lock above "
                         f"{element.most_poisson}, give less{other}")  # fmt: skip
    if np.any(poisson > law.most_poisson):
        raise SceneError(f"{who}: poisson is {elastic.poisson}, and the law {elastic.law} is for at most "
                         f"{law.most_poisson}; give less, or choose another law")  # fmt: skip
    if elastic.bent and (elastic.element != "t10" or body.shape.type == "tetrahedra"):
        raise SceneError(f"{who}: is bent, which is for quadratic elements (t10) that fill a surface; switch bent "
                         "off, or choose t10 and a shape that is not tetrahedra")  # fmt: skip
    if elastic.reduction is not None:
        check_reduction(who, elastic)
    damping = vector(who, "damping", elastic.damping, 2)
    if np.any(damping < 0):
        raise SceneError(f"{who}: damping is {damping.tolist()}; give two values of at least 0 (1/s and s)")
    if elastic.element_size is not None and (not finite(elastic.element_size) or elastic.element_size <= 0):
        raise SceneError(f"{who}: element_size is {elastic.element_size} m; give a value above 0")
    if elastic.element_size is not None and body.shape.type == "tetrahedra":
        raise SceneError(f"{who}: element_size is {elastic.element_size} m, and its {len(body.shape.tets)} tetrahedra "
                         "are given; remove element_size")  # fmt: skip
    if body.damping is not None and np.any(body.damping):
        raise SceneError(f"{who}: damping of a body is for rigid ones; give elastic.damping instead")
    if body.inertia is not None:
        raise SceneError(f"{who}: has an inertia and is deformable; its tetrahedra say what it is, remove it")


def _check_kinds(who, elastic):
    """Refuse values that are not even of the right kind."""
    for label in ("young", "poisson"):
        try:
            np.asarray(getattr(elastic, label), dtype=float)
        except (TypeError, ValueError):
            raise SceneError(f"{who}: {label} is {getattr(elastic, label)!r}; give a number, or one for each "
                             "tetrahedron") from None  # fmt: skip
    for label in ELASTIC_ROWS:
        if not isinstance(getattr(elastic, label), tuple | list):
            raise SceneError(f"{who}: {label} is {getattr(elastic, label)!r}; give a list of rows, none for ()")
    if elastic.reduction is not None and not isinstance(elastic.reduction, Reduction):
        raise SceneError(f"{who}: reduction is {elastic.reduction!r}; give a Reduction, or None")
    if elastic.reduction is not None and not isinstance(elastic.reduction.attachments, tuple | list):
        raise SceneError(f"{who}: attachments of the reduction are {elastic.reduction.attachments!r}; give a list of "
                         "boxes, none for ()")  # fmt: skip


def _pressure(who, given):
    """Rows (time [s], pressure [Pa]) of a pressure, which is a number or such rows; none for 0."""
    if np.ndim(given) == 0:
        if not finite(given):
            raise SceneError(f"{who}: pressure is {given} Pa; give a finite number")
        return ((0.0, float(given)),) if given else ()
    try:
        rows = np.asarray(given, dtype=float).reshape(len(given), 2)
    except (TypeError, ValueError):
        rows = np.full((1, 2), np.nan)
    if not np.all(np.isfinite(rows)) or np.any(np.diff(rows[:, 0]) <= 0):
        raise SceneError(f"{who}: pressure is {given}; give a number [Pa], or rows of a time [s] and a pressure, the "
                         "times rising")  # fmt: skip
    return tuple(map(tuple, rows.tolist()))


def _filled(who, body):
    """Vertices (v,3) and tets (T,4) of the body's shape, in its frame, and the Filling of a surface or None."""
    if body.shape.type != "tetrahedra":
        for label in ("young", "poisson"):
            if np.ndim(getattr(body.elastic, label)):
                raise SceneError(f"{who}: {label} is a list, and its tetrahedra are made anew; give one number")
        try:
            volume = body.shape.mass_properties().volume
            fill = MESHERS[body.elastic.mesher].fill
            filling = fill(*body.shape.surface(), body.elastic.element_size, volume)
        except SceneError as error:
            raise SceneError(f"{who}: {error}") from None
        return filling.vertices, filling.tets, filling
    vertices = np.asarray(body.shape.vertices, dtype=float)
    tets = np.asarray(body.shape.tets, dtype=np.int64)
    for label in ("young", "poisson"):
        value = np.asarray(getattr(body.elastic, label), dtype=float)
        if value.shape not in ((), (len(tets),)):
            raise SceneError(f"{who}: {label} has {value.size} numbers; give one, or one for each of {len(tets)} tets")
    used, number = np.unique(tets, return_inverse=True)
    return vertices[used], number.reshape(-1, 4), None


def _heavier(who, given, vertices, tets):
    """Factors of the density of tetrahedra (T,4) with vertices (v,3), which leave the mass of all as it is."""
    if len(given) == 0:
        return 1.0
    factors = _factors(who, "mass_points", given, vertices[tets].mean(axis=1))
    volume = np.abs(np.linalg.det(vertices[tets[:, 1:]] - vertices[tets[:, :1]]))
    return factors * (volume.sum() / (factors @ volume))


def _factors(who, label, given, middles):
    """Factors at the middles (T,3) of tetrahedra, from rows x, y, z, factor: that of the nearest."""
    if len(given) == 0:
        return 1.0
    try:
        rows = np.asarray(given, dtype=float).reshape(len(given), 4)
    except (TypeError, ValueError):
        rows = np.zeros((1, 4))
    if not np.all(np.isfinite(rows)) or np.any(rows[:, 3] <= 0):
        raise SceneError(f"{who}: {label} are not rows of a place and a factor above 0; correct them")
    return rows[spatial.cKDTree(rows[:, :3]).query(middles)[1], 3]


def _pinned(who, elastic, nodes, volume):
    """Which nodes (n,) lie in a box of the pins or near one of their points; volume [m^3] of a tetrahedron."""
    held = np.zeros(len(nodes), dtype=bool)
    if elastic.pin_points:
        # A regular tetrahedron of that volume has edges of about twice its cube root.
        reach = np.cbrt(volume) * 2.04
        distance, _ = spatial.cKDTree(np.asarray(elastic.pin_points, dtype=float)).query(nodes)
        held |= distance <= max(0.5 * reach, 1.0001 * distance.min())
    return held | _in_boxes(who, "pin", elastic.pins, nodes, "holds no node")


def _inflated(who, elastic, vertices, tets):
    """Which tetrahedra (T,) hold the gas, None where cavities do."""
    if not elastic.inflated:
        return None
    if not np.any(elastic.pressure):
        raise SceneError(f"{who}: has inflated boxes and no pressure; give a pressure, or remove the boxes")
    middles = vertices[tets].mean(axis=1)
    return _in_boxes(who, "inflated box", elastic.inflated, middles, "holds no tetrahedron's middle")


def _in_boxes(who, label, boxes, points, empty):
    """Which points (n,3) lie in one of the boxes; `empty`: what is said of a box with none of them."""
    held = np.zeros(len(points), dtype=bool)
    for i, box in enumerate(boxes):
        if len(box) != 2:
            raise SceneError(f"{who}: {label} {i} is {box}; give a box of two corners")
        low, high = (vector(who, f"corner of {label} {i}", corner, 3, "m") for corner in box)
        if np.any(low > high):
            raise SceneError(f"{who}: {label} {i} has its corners the wrong way round; give the lowest first")
        inside = np.all((points >= low) & (points <= high), axis=1)
        if not inside.any():
            raise SceneError(f"{who}: {label} {i} {empty} of the body; move or enlarge its box")
        held |= inside
    return held
