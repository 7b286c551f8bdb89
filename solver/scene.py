"""Scene: what the user says, in SI units. Nothing here computes; compile_scene in model.py checks and converts."""

from collections.abc import Iterable, Set
from dataclasses import field
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from .base.records import record
from .laws.elastic_laws import DEFAULT_LAW
from .materials import MaterialTable

# Numbers in lists of lists, or arrays, of so many dimensions: solver/api/kinds.py looks at what Python gives.
Numbers: TypeAlias = Annotated[tuple, 1]
Rows: TypeAlias = Annotated[tuple, 2]
Boxes: TypeAlias = Annotated[tuple, 3]
AnyNumbers: TypeAlias = Annotated[Any, 1]
AnyRows: TypeAlias = Annotated[Any, 2]
AnyTable: TypeAlias = Annotated[Any, 3]
Names: TypeAlias = tuple[str, ...]

class Motion(StrEnum):
    """How a body moves: by the laws of motion, not at all, or as its keyed poses say."""

    DYNAMIC = "dynamic"
    STATIC = "static"
    KINEMATIC = "kinematic"


def _rows_as_tuples(one, names):
    """Arrays in these fields as tuples of rows: all that read them ask whether there are any."""
    for name in names:
        rows = getattr(one, name)
        if getattr(rows, "ndim", 0) > 0:
            object.__setattr__(one, name, tuple(rows.tolist()))


@record
class KeyedPoses:
    """Poses of a kinematic body's shape frame: times (F,) s, positions (F,3) m, orientations (F,4) w,x,y,z."""

    times: AnyNumbers
    positions: AnyRows
    orientations: AnyRows


@record
class KeyedPoints:
    """Places of P points: times (F,) s, points (F,P,3) m, world frame."""

    times: AnyNumbers
    points: AnyTable


@record
class Reduction:
    """What a deformable body moves in instead of all its nodes: its lowest `modes` of vibration, with `spin` the
    answers to spinning, and those to forces on attachments, boxes ((x0, y0, z0), (x1, y1, z1)) [m] in the world at the
    start.

    derivatives: so many vectors in which the modes change as they bend the body, for the law stvk; error: the part that
    may be missing of the way which a patch of the surface goes under a load on it: as many answers to such loads are
    added as it takes, 1: none; dents: whether nodes that touch also give way by what the vectors leave out of their
    static answer; damping_ratio: of each vector, in parts of critical damping, besides Elastic.damping.
    """

    modes: int = 20
    derivatives: int = 0
    spin: bool = True
    attachments: Boxes = ()
    error: float = 1.0
    dents: bool = False
    damping_ratio: float = 0.0


# Fields of Elastic that are rows of numbers.
ELASTIC_ROWS = ("pins", "pin_points", "stiffness_points", "inflated", "goals", "mass_points", "start")


@record
class Elastic:
    """What makes a body deformable.

    law: key of LAWS; young [Pa], poisson: one number, or one a tetrahedron; damping: Rayleigh's, of mass [1/s] and of
    stiffness [s]; element: key of ELEMENTS; element_size [m] of a mesh that is to be filled with tetrahedra, None: a
    tenth of its size; mesher: key of MESHERS, what fills it; self_contact: whether the surface may touch itself;
    pressure [Pa] of the gas in its closed cavities: a number, or rows (time [s], pressure), between which it changes
    evenly; inflated: boxes like those of pins: where there are any, the pressure is within the elements whose middles
    lie in one, and in no cavity (the active material of Macklin et al. 2019, 10.1.4); pins: boxes
    ((x0, y0, z0), (x1, y1, z1)) [m], world frame at the start: nodes in one are fixed, or moved by the body's keys;
    pin_points: points (x, y, z) likewise: nodes nearer to one than half an element are held. pin_keys: KeyedPoints of
    these points, which the nodes follow; None: they stay. stiffness_points: rows (x, y, z, factor): Young's modulus of
    each tetrahedron is multiplied with the factor of the point nearest to it.
    goals: rows (x, y, z, stiffness [1/s^2], damping [1/s]), world frame at the start: springs that pull every node, in
    parts of its mass, as the row nearest to it says, to where it goes with these points. goal_keys: KeyedPoints of
    them; None: they stay. mass_points: rows (x, y, z, factor) of the density, which keep the body's mass.
    bent: quadratic elements that fill a surface bend their outer edges onto it, as far as none is turned inside out.
    reduction: Reduction of a body that moves in few vectors of its shape, None for one that moves in all its nodes.
    start: where the vertices of its tetrahedra begin, rows (x, y, z) [m] in the shape's frame, strained against the
    shape, as what is woven or drawn out is; none: as the shape has them.
    """

    law: str = DEFAULT_LAW
    young: float | AnyNumbers = 1e6
    poisson: float | AnyNumbers = 0.3
    damping: Numbers = (0.0, 0.0)
    element: str = "t4"
    element_size: float | None = None
    mesher: str = "lattice"
    self_contact: bool = False
    pressure: float | AnyRows = 0.0
    pins: Boxes = ()
    pin_points: Rows = ()
    pin_keys: KeyedPoints | None = None
    stiffness_points: Rows = ()
    inflated: Boxes = ()
    bent: bool = False
    goals: Rows = ()
    goal_keys: KeyedPoints | None = None
    mass_points: Rows = ()
    reduction: Reduction | None = None
    start: Rows = ()

    def __post_init__(self):
        _rows_as_tuples(self, ELASTIC_ROWS)


@record
class Body:
    """One body.

    position [m] and orientation (w,x,y,z) are those of the shape's own frame; velocity [m/s] is that of the
    centre of mass, angular_velocity [rad/s] in the world frame. mass [kg] and inertia (three principal
    moments, or 3x3 about the centre of mass in the body frame) [kg m^2] override the material's density.
    layers: the collision layers (1 to 32) it is on; collides_with: those it collides with, None for all. Two bodies
    collide only if each is on a layer that the other collides with. switches [s]: rising times at which a body
    changes between moving freely and following its keys, or standing where it is without; it begins as `motion` says.
    elastic: None for a rigid body.
    center_of_mass [m], in the shape's frame, overrides that of the shape; it goes with an inertia about it. damping
    [1/s]: rates at which velocity and angular velocity decay, None for those of the run. asleep: it stays where it is
    until something touches it; bodies that joints connect wake together, and are awake if one of them is.
    """

    name: str
    shape: Any
    material: str = "default"
    motion: Motion = Motion.DYNAMIC
    position: Numbers = (0.0, 0.0, 0.0)
    orientation: Numbers = (1.0, 0.0, 0.0, 0.0)
    velocity: Numbers = (0.0, 0.0, 0.0)
    angular_velocity: Numbers = (0.0, 0.0, 0.0)
    mass: float | None = None
    inertia: Any = None
    keys: KeyedPoses | None = None
    layers: Numbers = (1,)
    collides_with: Numbers | None = None
    switches: Numbers = ()
    elastic: Elastic | None = None
    center_of_mass: Numbers | None = None
    damping: Numbers | None = None
    asleep: bool = False

    def __post_init__(self):
        _rows_as_tuples(self, ("switches",))
        for name in ("layers", "collides_with"):
            layers = getattr(self, name)
            if isinstance(layers, Iterable) and not isinstance(layers, (str, tuple)):
                # Sets have no order of their own, arrays numbers of their own.
                ordered = sorted(layers, key=repr) if isinstance(layers, Set) else layers
                ordered = ordered.tolist() if hasattr(ordered, "tolist") else ordered
                object.__setattr__(self, name, tuple(ordered))


@record
class Gate:
    """A body that holds others back until it is taken out of the scene: at `time` [s], or, where `speed` [m/s] is
    given, as soon as every moving body is slower than that, and at `time` at the latest."""

    name: str
    body: str
    time: float = 0.0
    speed: float | None = None


@record
class Emitter:
    """Pours `count` bodies into the scene, `rate` [1/s] from `start` [s] on, each where it touches nothing.

    shapes: taken in turn at random, as often as `weights` say (None: equally often); box: two opposite corners [m]
    between which the bodies' frames begin; size_spread: standard deviation of the logarithm of a body's size (0: all
    as given, truncated at twice that); turned: random orientations, else those given for each shape (None: none is
    turned); velocity [m/s]. `seed` fixes everything random.
    """

    name: str
    shapes: tuple
    box: Rows
    count: int
    rate: float
    material: str = "default"
    start: float = 0.0
    weights: Numbers | None = None
    size_spread: float = 0.0
    turned: bool = True
    velocity: Numbers = (0.0, 0.0, 0.0)
    seed: int = 1
    orientations: Rows | None = None


@record
class Counter:
    """A plane through `point` [m] that counts the moving bodies whose centre of mass passes it along `normal`."""

    name: str
    point: Numbers
    normal: Numbers = (0.0, 0.0, -1.0)


@record
class Sink:
    """Takes every moving body out of the scene whose centre of mass is between two opposite corners `box` [m]."""

    name: str
    box: Rows


@record
class Keyed:
    """A number that changes: values (F,) at times (F,) [s], straight between them, held outside them."""

    times: Numbers
    values: Numbers


@record
class Motor:
    """Drives a joint's coordinate at `velocity` [m/s or rad/s; a number or Keyed] with at most `max` [N or N m];
    velocity 0 is a brake."""

    velocity: float | Keyed
    max: float = float("inf")


@record
class Servo:
    """Drives a joint's coordinate to `target` [m or rad; a number or Keyed]: stiffness [N/m or N m/rad], damping
    [N s/m or N m s/rad] and at most `max` [N or N m]. Stable for every stiffness."""

    target: float | Keyed
    stiffness: float
    damping: float = 0.0
    max: float = float("inf")


@record
class Spring:
    """Pulls a joint's coordinate to `rest` [m or rad]: stiffness [N/m or N m/rad], damping [N s/m or N m s/rad]."""

    stiffness: float
    damping: float = 0.0
    rest: float = 0.0


@record
class Bearing:
    """Friction in a joint that grows with what the joint carries: coefficient `friction` at `radius` [m], the mean one
    of a thread, 0 where nothing turns."""

    friction: float
    radius: float = 0.0


WORLD = "world"


@record
class Joint:
    """One joint between two bodies; which fields a type takes says its entry in JOINTS (dynamics/joints).

    bodies: two names, "world" for the ground. position [m] and axis are in the world at the start; positions: one a
    body where they differ; axis2: across the axis, for types with two axes. Coordinates are the second body's motion
    against the first, in rad or m, zero at the start. limits: (low, high) of the joint's coordinate; limits, motor,
    servo, spring and friction [N or N m] may be dicts by the names of the type's coordinates. bearing: friction of a
    hinge, slider or screw by the force that it carries. static_ratio: friction that holds what sticks over that of what
    slides. switches [s]: rising times at which the joint lets go, holds again, and so on. breaking [N]: load at which
    the joint breaks, its torque divided by its own length; compliance [m/N]; collide: whether the two bodies collide.
    joints, ratio, offset, radius [m], lead [m a turn], length [m], free: see the types that take them.
    assemble: bodies that are apart at the start are moved together instead of being refused.
    """

    name: str
    type: str
    bodies: Names = ()
    position: Numbers = (0.0, 0.0, 0.0)
    axis: Numbers = (0.0, 0.0, 1.0)
    axis2: Numbers | None = None
    positions: Rows | None = None
    limits: float | tuple[float | None, float | None] | dict | None = None
    motor: Motor | dict | None = None
    servo: Servo | dict | None = None
    spring: Spring | dict | None = None
    friction: float | dict = 0.0
    bearing: Bearing | None = None
    static_ratio: float = 1.0
    breaking: float | None = None
    switches: Numbers = ()
    compliance: float = 0.0
    collide: bool = False
    assemble: bool = False
    joints: Names = ()
    ratio: float = 1.0
    offset: float | None = None
    radius: float | None = None
    lead: float | None = None
    length: float | None = None
    free: Names = ()

    def __post_init__(self):
        _rows_as_tuples(self, ("position", "axis", "axis2", "positions", "limits", "switches"))


@record
class Attachment:
    """Nodes of a deformable body that are held to another body: to a rigid one where they are, to a deformable one on
    its surface. bodies: two names, that of the deformable body whose nodes are held first; box: two corners [m], world
    frame at the start, around these nodes. The two bodies do not collide with each other."""

    bodies: Names
    box: Rows


@record
class Scene:
    """Bodies, materials and gravity [m/s^2]; `settings` are the simulation options the scene suggests.

    excluded_pairs: pairs of names of bodies that never collide with each other. notes: sentences about how it was
    read, for the run's report.
    """

    bodies: tuple[Body, ...]
    materials: MaterialTable = field(default_factory=MaterialTable)
    gravity: Numbers = (0.0, 0.0, -9.81)
    joints: tuple[Joint, ...] = ()
    excluded_pairs: tuple[Names, ...] = ()
    settings: dict = field(default_factory=dict)
    name: str = "scene"
    description: str = ""
    notes: Names = ()
    gates: tuple[Gate, ...] = ()
    emitters: tuple[Emitter, ...] = ()
    counters: tuple[Counter, ...] = ()
    sinks: tuple[Sink, ...] = ()
    attachments: tuple[Attachment, ...] = ()

    def __post_init__(self):
        # A list could grow after a run was made of it.
        for name, value in list(vars(self).items()):
            if isinstance(value, list) and name != "materials":
                object.__setattr__(self, name, tuple(value))
