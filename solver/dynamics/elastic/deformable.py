"""Deformable: everything about one body of tetrahedra that stays constant in a run."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...base.connected import connected
from ...laws.elastic_laws import DEFAULT_LAW, LAWS, MOST_OF_LINEAR
from ..cholesky import Factor, analyse
from ..cholesky.symbolic import pair_slots
from . import element_kernels as kernels
from . import pressure_kernels
from .elements import (
    boundary_faces,
    boundary_triangles,
    cavity_faces,
    gradients_in_corners,
    lumped_masses,
    oriented,
    point_tables,
    volume_terms,
    with_middle_nodes,
)
from .laws.law_kernels import limit_stretches
from .laws.tensor_kernels import lame
from .pins import Goals
from .self_contact import self_tables

# Nodes of a face seen from its other side.
TURNED = (0, 2, 1, 5, 4, 3)


@dataclass(frozen=True, eq=False)
class Deformable:
    """A body of n nodes and T elements.

    rest (n,3) [m] nodes in the world as the body is placed, unstrained; begins (n,3): where they start, None: there;
    elements (T,4 or 10); gradient, volume: see point_tables; mu, lam (T,) [Pa]; mass (n,) [kg]; law: number of the
    elastic law; damping: Rayleigh's, of mass [1/s] and of stiffness [s];
    pinned (n,) bool: nodes that are fixed, or moved by the body's keyed poses, or along
    pin_paths (F, pinned, 3) [m] with keys at pin_times (F,) [s]; symbolic, slot: of the matrices;
    self_contact: whether its surface touches itself; pressure: rows (k,2) of time [s] and pressure [Pa] of the gas in
    its cavities, or in the elements inflated (T,) bool, where there are any; says: how it was filled with tetrahedra,
    noted: whether a run tells of it; goals: what pulls its nodes;
    reduced: ReducedShape of a body that moves in few vectors of its shape, else None.
    """

    rest: np.ndarray
    elements: np.ndarray
    gradient: np.ndarray
    volume: np.ndarray
    mu: np.ndarray
    lam: np.ndarray
    mass: np.ndarray
    law: int
    damping: tuple
    pinned: np.ndarray
    symbolic: object
    slot: np.ndarray
    self_contact: bool = False
    pressure: tuple = ()
    inflated: np.ndarray | None = None
    says: str = ""
    noted: bool = False
    pin_times: np.ndarray | None = None
    pin_paths: np.ndarray | None = None
    goals: Goals | None = None
    reduced: object = None
    begins: np.ndarray | None = None

    @cached_property
    def whole_mass(self):
        """Its mass [kg]."""
        return self.mass.sum()

    @cached_property
    def any_pinned(self):
        """Whether it has pinned nodes."""
        return bool(self.pinned.any())

    @property
    def start(self):
        """Nodes (n,3) [m] in the world at the start."""
        return self.rest if self.begins is None else self.begins

    @cached_property
    def driven(self):
        """Nodes (n,) bool that are pinned or pulled to goals."""
        driven = self.pinned.copy()
        if self.goals is not None:
            driven[self.goals.nodes] = True
        return driven

    @property
    def fed(self):
        """Whether pins, goals or gas may give it energy."""
        return bool(self.driven.any() or len(self.pressure))

    @property
    def node_count(self):
        """Number of nodes n."""
        return len(self.rest)

    @cached_property
    def component(self):
        """Which connected component (n,) a node belongs to, counted from 0."""
        ends = self.elements[:, :1].repeat(self.elements.shape[1] - 1, axis=1).ravel(), self.elements[:, 1:].ravel()
        return connected(*ends, self.node_count)

    @cached_property
    def piece(self):
        """Which free component (n,) a node belongs to, -1 for those of components that have pinned nodes or goals."""
        label = self.component.copy()
        label[np.isin(label, label[self.driven])] = -1
        return np.where(label < 0, -1, np.searchsorted(np.unique(label[label >= 0]), label)).astype(np.int64)

    @cached_property
    def wave_speed(self):
        """Speed [m/s] of pressure waves: sqrt((lambda + 2 mu) / density), of the means over the volume; lambda no more
        than linear elements may have, for what hardly changes its volume rebounds by shear."""
        whole = self.volume.sum(axis=1)
        lam = np.minimum(self.lam, lame(2.0 * (1.0 + MOST_OF_LINEAR) * self.mu, MOST_OF_LINEAR)[1])
        return float(np.sqrt(((lam + 2.0 * self.mu) @ whole) / self.mass.sum()))

    @cached_property
    def size(self):
        """Largest extent at rest along the axes [m]."""
        return float(np.ptp(self.rest, axis=0).max())

    @cached_property
    def radius(self):
        """Three times the volume over the surface [m]: of a ball its radius, of a cube half its side."""
        a, b, c = (self.rest[self.surface[:, j]] for j in range(3))
        area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
        return float(3.0 * self.volume.sum() / area)

    @cached_property
    def surface(self):
        """Outward triangles (F,3) of nodes."""
        return boundary_triangles(self.elements)

    @cached_property
    def surface_nodes(self):
        """Nodes (s,) of the surface, ascending."""
        return np.unique(self.surface)

    @cached_property
    def _third_node(self):
        """(keys (3F,) of the edges of the surface, the third node (3F,) of a triangle at each, nodes (n,3) of a
        triangle at each node)."""
        a, b, c = self.surface.T
        ends = np.stack([np.concatenate(k) for k in ((a, b, c), (b, c, a), (c, a, b))])
        key = ends[:2].min(axis=0) * self.node_count + ends[:2].max(axis=0)
        order = np.argsort(key, kind="stable")
        at_node = np.full((self.node_count, 3), -1)
        at_node[ends[0][::-1]] = ends.T[::-1]
        return key[order], ends[2][order], at_node

    def completed(self, nodes):
        """Triangles (k,3) of the surface that corners, edges or triangles of it belong to; nodes (k,3): -1 for none,
        the others keep their places."""
        keys, third, at_node = self._third_node
        nodes = nodes.copy()
        for k in np.flatnonzero((nodes < 0).any(axis=1)):
            own = nodes[k][nodes[k] >= 0]
            if len(own) == 1:
                more = at_node[own[0], 1:]
            else:
                edge = np.searchsorted(keys, own.min() * self.node_count + own.max())
                more = third[edge : edge + 1]
            nodes[k, nodes[k] < 0] = more
        return nodes

    @cached_property
    def spacing(self):
        """Length (n,) [m] of a node's share of its elements: the cube root of the volume that its mass fills."""
        whole = self.volume.sum(axis=1)
        share = np.zeros(self.node_count)
        np.add.at(share, self.elements[:, :4].ravel(), np.repeat(whole / 4.0, 4))
        middle = share == 0.0
        share[middle] = share[~middle].mean() if np.any(~middle) else 0.0
        return np.cbrt(share)

    @cached_property
    def corner_gradient(self):
        """Gradients (T,4,10,3) [1/m] of quadratic elements in their corners; (T,0,4,3) of linear ones."""
        return gradients_in_corners(self.rest, self.elements)

    @cached_property
    def limit(self):
        """Stretch (T,) at which bars of each element's material bear their largest pressure, 0 for none."""
        return limit_stretches(self.law, self.mu, self.lam)

    @cached_property
    def factor(self):
        """Factor of the body's matrix: work space, no part of what the body is."""
        return Factor(self.symbolic)

    @cached_property
    def blocks(self):
        """Room (s,3,3) for the stiffness: work space."""
        return np.zeros((len(self.symbolic.pair_row), 3, 3))

    @property
    def tables(self):
        """The Elements that kernels take."""
        return kernels.Elements(self.elements, self.gradient, self.volume, self.mu, self.lam)

    @cached_property
    def self_tables(self):
        """SelfTables of its surface."""
        return self_tables(self.node_count, self.surface)

    @cached_property
    def cavity(self):
        """(faces (F,3 or 6) of the surfaces that enclose its gas, turned towards the gas, slots (F,6 or 21) of their
        pairs of nodes)."""
        if self.inflated is None:
            faces = cavity_faces(self.rest, boundary_faces(self.elements))
        else:
            faces = boundary_faces(self.elements[self.inflated])
            faces = np.ascontiguousarray(faces[:, TURNED[: faces.shape[1]]])
        return faces, pair_slots(self.symbolic, faces)

    def pressure_at(self, time):
        """Pressure [Pa] in its cavities at a time [s]: between the given ones in proportion."""
        if len(self.pressure) == 0:
            return 0.0
        times, values = np.transpose(self.pressure)
        return float(np.interp(time, times, values))

    def cavity_volume(self, x):
        """Volume [m^3] of its cavities at node positions x (n,3)."""
        return volume_within(x, self.cavity[0])

    def energy(self, x, pressure=0.0):
        """(elastic energy less pressure times the volume of the cavities [J], least det F) at x (n,3); of a reduced
        body the energy of its shape, whose elements do not act: their det F counts as 1."""
        if self.reduced is not None:
            return self.reduced.energy(x), 1.0
        energy, worst = kernels.elastic_energy(self.law, x, self.tables)
        return (energy - pressure * self.cavity_volume(x) if pressure else energy), worst

    def least_stretch(self, x):
        """Least det F of the elements at x (n,3)."""
        return kernels.least_stretch(x, self.tables)

    def forces(self, x, blocks=None, project=True, pressure=0.0):
        """Elastic forces (n,3) [N] at x (n,3), with those of the gas; blocks (s,3,3), where given, gets the stiffness
        [N/m]; project: keep it positive semidefinite, without that of the gas."""
        force = np.zeros_like(x)
        if blocks is None:
            kernels.nodal_forces(self.law, x, self.tables, force)
        else:
            blocks[:] = 0.0
            kernels.elastic_forces(self.law, project, x, self.tables, self.slot, force, blocks)
        if pressure:
            faces, slot = self.cavity
            target = np.zeros((0, 3, 3)) if blocks is None or project else blocks
            terms = volume_terms(faces.shape[1])
            pressure_kernels.add_pressure(x, faces, slot, terms, pressure, force, target)
        return force

    def add_stiffness_product(self, blocks, factor, v, out):
        """out (n,3) += factor K v."""
        kernels.add_product(self.symbolic.pair_row, self.symbolic.pair_column, blocks, factor, v, out)


def volume_within(x, faces):
    """Volume [m^3] within closed faces (F,3 or 6) of nodes x (n,3) that are turned inwards; 0 without any."""
    if len(faces) == 0:
        return 0.0
    return pressure_kernels.cavity_volume(x, faces, volume_terms(faces.shape[1]))


def deformable(vertices, tets, young, poisson, density, law=DEFAULT_LAW, element="t4", damping=(0.0, 0.0),
               pinned=None, bend=None, **other):  # fmt: skip
    """Return the Deformable of tets (T,4) with vertices (v,3) [m].

    young [Pa], poisson and density [kg/m^3]: one number, or one a tetrahedron. element: key of ELEMENTS; pinned: a
    function nodes (n,3) -> (n,) bool, None for none; bend: a function (nodes (n,3), elements (T,10)) of straight
    quadratic elements -> (n,3), where the nodes lie with bent edges; other: fields of Deformable.
    """
    vertices = np.ascontiguousarray(vertices, dtype=float)
    elements = oriented(vertices, tets)
    if element == "t10":
        vertices, elements = with_middle_nodes(vertices, elements)
        vertices = vertices if bend is None else bend(vertices, elements)
    count = len(elements)
    mu, lam = lame(young, poisson)
    symbolic = analyse(vertices, elements)
    gradient, volume = point_tables(vertices, elements)
    mass = lumped_masses(elements, volume, density, len(vertices))
    return Deformable(
        rest=vertices, elements=np.ascontiguousarray(elements), gradient=gradient, volume=volume,
        mu=np.broadcast_to(mu, count).copy(), lam=np.broadcast_to(lam, count).copy(), mass=mass, law=LAWS[law].number,
        damping=tuple(damping), pinned=np.zeros(len(vertices), dtype=bool) if pinned is None else pinned(vertices),
        symbolic=symbolic, slot=pair_slots(symbolic, elements), **other,
    )  # fmt: skip
