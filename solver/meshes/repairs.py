"""Repairs for meshes that are no solid, or that are too fine: chosen by the user, checked, with their error stated.

Every way takes a prepared mesh and gives a solid; the mesh of the user stays as it is. What a way makes is checked
against the volume that the winding number says the surface encloses, and refused where it is not that solid.
"""

from typing import Any, NamedTuple

import numpy as np

from ..base.connected import connected
from ..base.records import record
from ..base.refusal import SceneError
from .integrals import solid_properties, triangle_areas
from .mass_properties import MassProperties
from .mesh_prep import THIN_VOLUME, PreparedMesh, prepare_mesh
from .mesh_union import union_properties
from .polytope import convex_polytope
from .solid_field import SolidField
from .solidify import BENDS, cut_sheet, one_side, solidify
from .voxel_remesh import MOST_NODES, node_count, voxel_remesh

MOST_VAGUE = 0.1  # of the volume may be neither inside nor outside
MOST_LOST = 0.03  # of the volume may be won or lost by a remesh or a proxy
ROUNDING = 1e-9  # of the volume is below the digits of single precision, and no error
VOXELS = 48  # along the longest side, if nothing is said
REMESH_TRIANGLES = 4000  # a remesh is thinned out to this many
PROXY_TRIANGLES = 1000
CHOOSE = "(Shape in the panel, repair in a scene file)"


class Way(NamedTuple):
    """label and description for people; option: name of its number ("" for none), unit and what it is by default."""

    label: str
    description: str
    option: str
    unit: str
    default: str
    take: Any


class Solid(NamedTuple):
    """What a way made: prepared mesh, mass properties at density 1, and a sentence that states the error."""

    prepared: PreparedMesh
    mass: MassProperties
    says: str


@record
class MeshRepair:
    """A user's choice: a key of REPAIRS, and the number its option takes (None: the way's own)."""

    kind: str
    amount: float | None = None

    def check(self, who):
        """Raise SceneError naming `who` for an unknown way or a number it cannot use."""
        if self.kind not in REPAIRS:
            raise SceneError(f"{who}: repair is {self.kind!r}; choose one of {', '.join(REPAIRS)}")
        way = REPAIRS[self.kind]
        if self.amount is None:
            return
        if not way.option:
            raise SceneError(f"{who}: repair {self.kind!r} takes no number, it was given {self.amount:g}")
        least = 4 if way.unit == "" else 0
        if not np.isfinite(self.amount) or self.amount <= least - (way.unit == ""):
            raise SceneError(
                f"{who}: {way.option} is {self.amount:g}{way.unit and ' ' + way.unit}; "
                f"give a number {'of at least 4' if least else 'above 0'}"
            )

    def take(self, prepared):
        """Return the Solid this way makes of a PreparedMesh; SceneError (without a name) where it fails."""
        return REPAIRS[self.kind].take(prepared, self.amount)


def solid_mass(prepared, field):
    """Mass properties of a closed mesh: exact, or those of the union where it goes through itself."""
    # Faces that only lie in each other cross nowhere; what winds twice behind them shows all the same.
    crosses = prepared.report.crossing_parts or field.crossings > 0 or field.winds_wrong()
    return (union_properties if crosses else solid_properties)(prepared.vertices, prepared.triangles)


def enclosed(prepared, field):
    """Mass properties of what a surface encloses, by the winding number where it is open. SceneError if it is vague."""
    if not prepared.report.defects():
        return solid_mass(prepared, field)
    if field.volume <= 0.0:
        raise SceneError(f"it encloses nothing, it is a sheet; choose solidify with a thickness {CHOOSE}")
    if field.vagueness > MOST_VAGUE:
        raise SceneError(
            f"its holes are so wide that {100 * min(field.vagueness, 1.0):.0f} % of its inside cannot be told from the "
            f"outside (at most {100 * MOST_VAGUE:.0f} % is taken); close it, or choose solidify or convex_hull {CHOOSE}"
        )
    return field.mass_properties()


def by_winding(prepared, _):
    """Contacts with the surface and lids on its holes, mass of what the winding number says is inside."""
    field = SolidField(prepared.vertices, prepared.triangles)
    mass = enclosed(prepared, field)
    says = f"mass of what its surface encloses by the winding number, {_litres(mass.volume)}"
    if prepared.report.defects():
        says += f", {100 * field.vagueness:.1f} % of it vague"
    lidded, holes = with_lids(prepared)
    if holes:
        says += f", lids on {holes} hole{'s' if holes > 1 else ''}"
    return Solid(lidded, mass, says)


def with_lids(prepared):
    """(PreparedMesh with a fan of triangles over each hole, how many holes); the same and 0 where that closes nothing.

    Without them the surface would be a sheet to contact search, which is touched from both sides and has no inside.
    """
    triangles = without_flaps(prepared.triangles)
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    count = len(prepared.vertices)
    alone = ~np.isin(start * count + end, end * count + start)
    start, end = start[alone], end[alone]
    if len(start) == 0:
        return prepared, 0
    label = connected(start, end, count)
    names, rim = np.unique(label[start], return_inverse=True)
    middles = np.zeros((len(names), 3))
    np.add.at(middles, rim, prepared.vertices[start])
    middles /= np.bincount(rim)[:, None]
    lids = np.column_stack((end, start, count + rim))
    made = prepare_mesh(np.concatenate((prepared.vertices, middles)), np.concatenate((triangles, lids)))
    return (made, len(names)) if made.report.closed else (prepared, 0)


def without_flaps(triangles):
    """Triangles (T,3) without those that hang on an edge of two others alone: they enclose nothing."""
    while True:
        edges = np.sort(np.stack((triangles, np.roll(triangles, -1, axis=1)), axis=2), axis=2)
        _, use, uses = np.unique(edges.reshape(-1, 2), axis=0, return_inverse=True, return_counts=True)
        uses = uses[use].reshape(-1, 3)
        flap = ((uses > 2).sum(axis=1) == 1) & ((uses == 1).sum(axis=1) == 2)
        if not flap.any():
            return triangles
        triangles = triangles[~flap]


def by_remesh(prepared, voxel):
    """A new closed surface on a grid of voxels."""
    field = SolidField(prepared.vertices, prepared.triangles)
    voxel = float(np.max(field.high - field.low)) / VOXELS if voxel is None else float(voxel)
    nodes = node_count(field, voxel)
    if nodes > MOST_NODES:
        least = voxel * (nodes / MOST_NODES) ** (1.0 / 3.0)
        raise SceneError(f"voxel_size {voxel:g} m takes {nodes} voxels; give at least {1.02 * least:.3g} m")
    wanted = enclosed(prepared, field).volume
    vertices, triangles = voxel_remesh(field, voxel)
    if len(triangles):
        vertices, triangles = thinned(vertices, triangles, REMESH_TRIANGLES)
    made = solid_properties(vertices, triangles).volume if len(triangles) else 0.0
    lost = made / wanted - 1.0
    # Walls below two voxels are torn to shreds, whatever their volume happens to be.
    if abs(lost) > MOST_LOST:
        raise SceneError(
            f"its voxel remesh at {voxel:.3g} m has {_litres(made)}, {100 * abs(lost):.0f} % "
            f"{'less' if lost < 0 else 'more'} than the surface encloses (at most {100 * MOST_LOST:.0f} % is taken): "
            f"its walls are too thin for these voxels; give a voxel_size below {0.7 * voxel:.2g} m"
        )
    solid = prepare_mesh(vertices, triangles)
    says = f"voxel remesh at {voxel:.3g} m, {len(triangles)} triangles{_off_by(lost)}"
    return Solid(solid, solid_properties(vertices, triangles), f"{says}{_reach(field, solid)}")


def by_solidify(prepared, thickness):
    """A sheet, or the skin of a closed mesh, thickened by half the thickness on either side."""
    report, sides = prepared.report, 1
    if thickness is None:
        raise SceneError("solidify needs a thickness; give it in metres")
    if report.closed and report.volume > THIN_VOLUME * report.size**3:
        # Outside and inside are surfaces of their own.
        sides = 2
    elif report.closed:
        prepared = prepare_mesh(prepared.vertices, one_side(prepared.vertices, prepared.triangles))
    wanted = float(triangle_areas(prepared.vertices, prepared.triangles).sum()) * thickness
    for bend in BENDS:
        pieces = cut_sheet(prepared.vertices, prepared.triangles, float(thickness), bend)
        solid = prepare_mesh(*solidify(*pieces, float(thickness)))
        mass = solid_properties(solid.vertices, solid.triangles)
        off = mass.volume / wanted - 1.0
        if abs(off) <= MOST_LOST:
            break
    says = f"solidified by {thickness:g} m{_off_by(off, ' from area times thickness')}"
    if solid.report.parts > sides * report.parts:
        says += f", in {solid.report.parts} pieces where it branches or bends more sharply than that"
    return Solid(solid, mass, says)


def _off_by(part, words=""):
    """The error of a volume, to follow a sentence: in percent, or nothing where it is rounding."""
    return f", volume off by {100 * part:+.2g} %{words}" if abs(part) > ROUNDING else ""


def _percent(part):
    """A part as percent with its sign; rounding is none."""
    return f"{100 * part if abs(part) > ROUNDING else 0.0:+.2g} %"


def by_hull(prepared, _):
    """The convex hull."""
    try:
        polytope = convex_polytope(prepared.vertices)
    except ValueError as error:
        raise SceneError(f"its convex hull has no volume: {error}; choose solidify with a thickness {CHOOSE}") from None
    field = SolidField(prepared.vertices, prepared.triangles)
    solid = prepare_mesh(polytope.vertices, polytope.triangles())
    mass = solid_properties(solid.vertices, solid.triangles)
    try:
        more = f"{_percent(mass.volume / enclosed(prepared, field).volume - 1.0)} of what the surface encloses"
    except SceneError:
        more = "what the surface itself encloses cannot be told"
    return Solid(solid, mass, f"convex hull, {_litres(mass.volume)}, {more}")


def by_proxy(prepared, count):
    """Contacts with fewer triangles, mass of the mesh itself."""
    count = PROXY_TRIANGLES if count is None else int(count)
    if prepared.report.defects() or not prepared.report.closed:
        defects = " and ".join(prepared.report.defects())
        raise SceneError(f"a proxy needs a closed mesh, it has {defects}; choose voxel_remesh {CHOOSE}")
    field = SolidField(prepared.vertices, prepared.triangles)
    mass = solid_mass(prepared, field)
    solid = prepare_mesh(*thinned(prepared.vertices, prepared.triangles, count))
    off = solid.report.volume / prepared.report.volume - 1.0
    if solid.report.defects() or abs(off) > MOST_LOST:
        raise SceneError(
            f"its proxy of {len(solid.triangles)} triangles is {100 * abs(off):.0f} % off in volume (at most "
            f"{100 * MOST_LOST:.0f} % is taken); give a triangle_count above {2 * count}"
        )
    says = f"proxy of {len(solid.triangles)} instead of {len(prepared.triangles)} triangles"
    return Solid(
        solid, mass, f"{says}{_off_by(off)}{_reach(field, solid)}; mass exact"
    )


def thinned(vertices, triangles, count):
    """Vertices and triangles of a closed mesh with no more than `count` triangles, where edges can be collapsed."""
    if len(triangles) <= count:
        return vertices, triangles
    from .decimate_kernels import decimate

    # About its middle: squared distances from planes lose their digits far from the origin.
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    vertices, triangles = np.ascontiguousarray(vertices - middle), np.array(triangles, dtype=np.int64)
    size = float(np.ptp(vertices, axis=0).max())
    vertices /= size
    triangles = triangles[decimate(vertices, triangles, count)]
    used, triangles = np.unique(triangles, return_inverse=True)
    return size * vertices[used] + middle, triangles.reshape(-1, 3)


def _reach(field, solid):
    """How far the surfaces are from each other, measured at vertices and at middles of triangles, to follow a sentence;
    nothing where it is rounding."""
    corners = solid.vertices[solid.triangles]
    ours = field.distance(np.concatenate((solid.vertices, corners.mean(axis=1)))).max()
    theirs = SolidField(solid.vertices, solid.triangles).distance(field.middles()).max()
    reach = max(float(ours), float(theirs))
    part = reach / field.size
    return f", surface by up to {reach:.2g} m ({100 * part:.2g} % of its size)" if part > ROUNDING else ""


def _litres(volume):
    return f"{volume:.4g} m^3"


REPAIRS = {
    "winding": Way(
        "Close by Winding", "The mesh as it is; mass of what its surface encloses although it has holes", "", "", "",
        by_winding,
    ),
    "voxel_remesh": Way(
        "Voxel Remesh", "A new closed surface on a grid: joins overlapping parts, closes holes", "voxel_size", "m",
        "1/48 of the longest side", by_remesh,
    ),
    "solidify": Way("Solidify", "An open sheet, or the skin of a closed mesh, made this thick", "thickness", "m",
                    "must be given", by_solidify),
    "convex_hull": Way("Convex Hull", "The smallest convex body around the mesh", "", "", "", by_hull),
    "proxy": Way(
        "Proxy", "Contacts with fewer triangles, mass of the mesh itself", "triangle_count", "", "1000", by_proxy
    ),
}  # fmt: skip
