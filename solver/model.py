"""From what the user says to arrays: compile_scene checks a Scene and returns its Model and first State."""

from collections import Counter
from functools import cached_property

import numpy as np

from .base.records import record
from .base.refusal import SceneError, finite, vector
from .collision.broadphase.filters import layer_mask
from .collision.contact_generators import DEFAULT
from .collision.pipeline import prepare
from .dynamics import rotation
from .dynamics.elastic import compiled as elastic_compiled
from .dynamics.elastic.attachments import NO_ATTACHMENTS, Attachments, compile_attachments
from .dynamics.flow import flow_of, poured
from .dynamics.jointed.projection import driven_groups, group_of_blocks
from .dynamics.jointed.rows import kernel_tables, moving_blocks
from .dynamics.jointed.start.checks import check_masses
from .dynamics.jointed.start.compile import compile_joints
from .dynamics.jointed.start.mobility import check_motion
from .dynamics.jointed.start.slack import with_slack
from .dynamics.jointed.state import first_state
from .dynamics.jointed.tables import NO_JOINTS, JointTables
from .dynamics.kinematic import check_keys, paths_of
from .dynamics.tables import body_tables, pair_tables
from .problems.islands import body_islands
from .scene import Motion
from .shapes import once
from .state import State

LIGHTEST, HEAVIEST = 1e-30, 1e30  # kg
# By what part of the largest moment of inertia the other two may fall short of it: what rounding to two digits does.
ROUNDED = 0.02


@record
class Model:
    """What stays constant in a run; R bodies, M materials.

    center_of_mass (R,3) in the shape frame [m]; mass (R,) [kg]; inertia (R,3,3) about the centre of mass, body
    frame [kg m^2]; inverses are 0 for bodies that do not move freely; size (R,): largest distance of the
    surface from the centre of mass [m]; mu (M,M,3), restitution (M,M,2) normal and tangential, law (M,M);
    anisotropic (M,): materials whose friction has a direction; gyroscopic (R,): inertia is not that of a sphere;
    damping (R,2): rates at which velocity and angular velocity decay [1/s];
    symmetry (R,3): axis in the body frame about which the inertia is symmetric, zeros for none;
    elastic (R,): the Deformable of each body, None for rigid ones; surfaces (R,): its Surface. Deformable bodies have
    an inverse mass of 0: no six numbers tell how they move; attachments: what holds their nodes;
    flow: what makes bodies enter and leave, see dynamics/flow.py, None if all stay.
    """

    names: tuple
    shapes: tuple
    motion: tuple
    keys: tuple
    center_of_mass: np.ndarray
    mass: np.ndarray
    inverse_mass: np.ndarray
    inertia: np.ndarray
    inverse_inertia: np.ndarray
    size: np.ndarray
    material: np.ndarray
    mu: np.ndarray
    restitution: np.ndarray
    law: np.ndarray
    anisotropic: np.ndarray
    gyroscopic: np.ndarray
    symmetry: np.ndarray
    gravity: np.ndarray
    collision: object
    damping: np.ndarray
    elastic: tuple = ()
    surfaces: tuple = ()
    flow: object = None
    joints: JointTables = NO_JOINTS
    attachments: Attachments = NO_ATTACHMENTS

    @property
    def body_count(self):
        """Number of bodies R."""
        return len(self.names)

    @cached_property
    def kinematic(self):
        """Numbers of the bodies that keyed poses move."""
        return tuple(i for i, motion in enumerate(self.motion) if motion == Motion.KINEMATIC)

    @cached_property
    def paths(self):
        """The Paths of these bodies."""
        driven = list(self.kinematic)
        return paths_of(driven, [self.keys[i] for i in driven], self.center_of_mass[driven])

    @cached_property
    def soft(self):
        """Which bodies (R,) are deformable."""
        return np.array([body is not None for body in self.elastic], dtype=bool)

    @cached_property
    def mass_ratio(self):
        """Heaviest over lightest body that moves."""
        mass = self.mass[self.inverse_mass > 0]
        return float(mass.max() / mass.min()) if len(mass) else 1.0

    @cached_property
    def node_start(self):
        """First node (R+1,) of each body among those of all deformable ones."""
        return elastic_compiled.node_starts(self.elastic)

    def span(self, body):
        """Slice of a body's nodes among those of all deformable ones."""
        return slice(int(self.node_start[body]), int(self.node_start[body + 1]))

    @cached_property
    def parts(self):
        """Models of some of its bodies that were made, see stepping/submodel.py."""
        return {}

    @cached_property
    def surface_tables(self):
        """The surfaces as a tuple for kernels."""
        return elastic_compiled.surface_tables(self)

    @cached_property
    def joint_groups(self):
        """Number of the group of coupled bodies that each block of the joints belongs to."""
        return group_of_blocks(self, self.joints)

    @cached_property
    def jointed_bodies(self):
        """Number (R,) of the group of moving bodies, coupled by joints, that each body is of: its lowest."""
        return body_islands(self.inverse_mass, *self.joints.coupled.T)

    @cached_property
    def driven_groups(self):
        """Groups (R+1,) bool of bodies coupled by joints, in which more acts than what holds."""
        return driven_groups(self, self.joints)

    @cached_property
    def moving_blocks(self):
        """Blocks (B,) bool of joints with a body that moves freely."""
        return moving_blocks(self, self.joints)

    @cached_property
    def joint_tables(self):
        """The joints as a tuple for kernels."""
        return kernel_tables(self)

    @cached_property
    def bodies(self):
        """The bodies' constants as a tuple for kernels."""
        return body_tables(self)

    @cached_property
    def pairs(self):
        """The constants of pairs of materials as a tuple for kernels."""
        return pair_tables(self)

    def shape_position(self, position, orientation):
        """Origins of the shape frames (R,3) for centres of mass and orientations."""
        return position - np.einsum("bij,bj->bi", rotation.matrix(orientation), self.center_of_mass)


def compile_scene(scene, linear_damping=0.0, angular_damping=0.0, contact_generator=DEFAULT):
    """Return (Model, State) of a Scene. Raises SceneError naming the object, the value and the remedy."""
    if not scene.bodies:
        raise SceneError(f"scene {scene.name!r}: no bodies; add at least one")
    said, scene = scene, poured(scene)
    for name, count in Counter(body.name for body in scene.bodies).items():
        if count > 1:
            raise SceneError(f"body {name!r}: {count} bodies have this name; give each its own")
    joined = any("world" in joint.bodies for joint in scene.joints)
    if joined and any(body.name == "world" and body.motion != Motion.STATIC for body in scene.bodies):
        raise SceneError("body 'world': moves, and is what joints call the ground; give the body another name")
    if any(not body.name for body in scene.bodies):
        raise SceneError(f"scene {scene.name!r}: a body has an empty name; give it one")
    scene.materials.check()
    gravity = vector(f"scene {scene.name!r}", "gravity", scene.gravity, 3, "m/s^2")
    rows = [_compile_body(body, scene.materials) for body in scene.bodies]
    columns = [np.array([row[i] for row in rows], dtype=float) for i in range(5)]
    center, mass, inertia, position, orientation = columns
    moving = np.array([body.motion == Motion.DYNAMIC for body in scene.bodies])
    inverse_inertia = np.zeros_like(inertia)
    elastic = elastic_compiled.build_deformables(scene.bodies, scene.materials, center, position, orientation)
    free = moving & np.array([body is None for body in elastic])
    inverse_inertia[free] = np.linalg.inv(inertia[free])
    size = np.array([body_size(body.shape, c) for body, c in zip(scene.bodies, center, strict=True)])
    mu, restitution, law = scene.materials.tables()
    names = tuple(body.name for body in scene.bodies)
    joints, ignored = compile_joints(scene, position, orientation, size, free)
    attachments = compile_attachments(scene, elastic, position, orientation, size)
    glued = [tuple(pair) for pair in attachments.couples().tolist()]
    check_masses(joints, np.where(free, mass, np.nan), names)
    touching = elastic_compiled.touching_shapes(scene.bodies, elastic, center, position, orientation)
    collision = prepare(
        touching, center, moving, *_layer_masks(scene.bodies),
        _excluded(scene.bodies, scene.excluded_pairs) + ignored + glued, contact_generator, names,
    )  # fmt: skip
    flow, present = flow_of(said, scene)
    model = Model(
        names=names,
        shapes=tuple(body.shape for body in scene.bodies),
        motion=tuple(body.motion for body in scene.bodies),
        keys=tuple(body.keys for body in scene.bodies),
        center_of_mass=center,
        mass=mass,
        inverse_mass=np.divide(1.0, mass, out=np.zeros_like(mass), where=free),
        inertia=inertia,
        inverse_inertia=inverse_inertia,
        size=size,
        material=np.array([scene.materials.index(body.material) for body in scene.bodies]),
        mu=mu,
        restitution=restitution,
        law=law,
        anisotropic=scene.materials.directed(),
        gyroscopic=_not_spherical(inertia) & moving, symmetry=_symmetry(inertia),
        gravity=gravity,
        collision=collision,
        damping=np.array([_damping(body, (linear_damping, angular_damping)) for body in scene.bodies], dtype=float),
        elastic=elastic,
        surfaces=elastic_compiled.surfaces_of(collision, elastic),
        flow=flow,
        joints=joints,
        attachments=attachments,
    )
    twist = np.array([[*body.velocity, *body.angular_velocity] for body in scene.bodies], dtype=float)
    state = State(0.0, position, orientation, twist, present=present, joints=first_state(joints))
    stay = np.array([bool(body.switches) or body.asleep for body in scene.bodies])
    stay[attachments.body.ravel()] = True
    model, state = with_slack(model, state, stay)
    check_motion(model, state)
    return elastic_compiled.soft_materials(model), elastic_compiled.first_state(model, state)


def _layer_masks(bodies):
    """Masks (R,) of the layers the bodies are on and of those they collide with."""
    masks = np.zeros((2, len(bodies)), dtype=np.int64)
    for i, body in enumerate(bodies):
        for row, label in enumerate(("layers", "collides_with")):
            try:
                masks[row, i] = layer_mask(getattr(body, label))
            except (TypeError, ValueError) as error:
                raise SceneError(f"body {body.name!r}: {label}: {error}") from None
    return masks


def _excluded(bodies, pairs):
    """Excluded pairs as numbers of bodies."""
    number = {body.name: i for i, body in enumerate(bodies)}
    for pair in pairs:
        if len(pair) != 2 or pair[0] == pair[1]:
            raise SceneError(f"excluded pair {list(pair)}: give the names of two different bodies")
        for name in pair:
            if name not in number:
                raise SceneError(f"excluded pair {list(pair)}: no body {name!r}; correct the name or remove the pair")
    return [(number[a], number[b]) for a, b in pairs]


def _compile_body(body, materials):
    """Centre of mass, mass, inertia, position and orientation of one body, checked."""
    who = f"body {body.name!r}"
    if body.material not in [material.name for material in materials.materials]:
        raise SceneError(f"{who}: no material {body.material!r}; add it or correct the name")
    if body.motion not in list(Motion):
        raise SceneError(f"{who}: motion is {body.motion!r}; choose one of {', '.join(Motion)}")
    if body.motion == Motion.KINEMATIC and body.keys is None:
        raise SceneError(f"{who}: is kinematic but has no keyed poses; add keys or make it static")
    if body.keys is not None:
        check_keys(body.keys, who)
    once.check(body.shape, who)
    origin = vector(who, "position", body.position, 3, "m")
    vector(who, "velocity", body.velocity, 3, "m/s")
    vector(who, "angular_velocity", body.angular_velocity, 3, "rad/s")
    _check_unused(body, who)
    _check_asleep(body, who)
    q = vector(who, "orientation", body.orientation, 4)
    norm = np.linalg.norm(q)
    if abs(norm - 1.0) > 1e-3:
        raise SceneError(f"{who}: orientation {q.tolist()} has length {norm:.6g}; give a unit quaternion w, x, y, z")
    q = q / norm
    if body.switches:
        _check_switches(body, who)
    if body.motion == Motion.DYNAMIC or body.switches:
        center, mass, inertia = body_mass(body, materials)
    else:
        center, mass, inertia = np.zeros(3), 0.0, np.zeros((3, 3))
    return center, mass, inertia, origin + rotation.matrix(q) @ center, q


def _damping(body, common):
    """Decay rates (2,) of a body [1/s]; common: those of the run, which serve where it has none of its own."""
    if body.damping is None:
        return common
    rates = vector(f"body {body.name!r}", "damping", body.damping, 2, "1/s")
    if (rates < 0).any():
        raise SceneError(f"body {body.name!r}: damping is {list(body.damping)} 1/s; give two rates of at least 0")
    return rates


def _check_asleep(body, who):
    if not body.asleep:
        return
    if body.motion != Motion.DYNAMIC or body.elastic is not None:
        kind = "deformable" if body.elastic is not None else body.motion
        raise SceneError(f"{who}: begins asleep but is {kind}; make it a rigid dynamic body or let it begin awake")
    if np.any(body.velocity) or np.any(body.angular_velocity):
        raise SceneError(f"{who}: begins asleep but has a velocity; remove the velocity or let it begin awake")


def _check_switches(body, who):
    if body.elastic is not None:
        raise SceneError(f"{who}: has switches but is deformable; make it rigid or remove the switches")
    times = np.array(body.switches, dtype=float)
    if not finite(times) or np.any(times < 0) or np.any(np.diff(times) <= 0):
        raise SceneError(f"{who}: switches are {list(body.switches)} s; give rising times of 0 or more")


def _may_follow(body):
    """Whether a rigid body follows keys at any time."""
    return body.motion == Motion.KINEMATIC or body.motion == Motion.DYNAMIC and bool(body.switches)


def _check_unused(body, who):
    """Refuse what a body of this motion would ignore."""
    if body.elastic is not None:
        if body.keys is not None and not (body.elastic.pins or body.elastic.pin_points):
            raise SceneError(f"{who}: has keyed poses and no pins that could follow them; add pins or remove the keys")
    elif body.keys is not None and not _may_follow(body):
        raise SceneError(f"{who}: is {body.motion} but has keyed poses; make it kinematic or remove the keys")
    if body.motion != Motion.DYNAMIC and not body.switches:
        for label in ("mass", "inertia", "center_of_mass"):
            if getattr(body, label) is not None:
                raise SceneError(f"{who}: is {body.motion} but has a {label}; make it dynamic or remove the {label}")
        if body.motion == Motion.STATIC and (np.any(body.velocity) or np.any(body.angular_velocity)):
            raise SceneError(f"{who}: is static but has a velocity; make it dynamic or kinematic, or remove that")


def body_mass(body, materials):
    """Centre of mass (3,) [m], mass [kg] and inertia (3,3) about it [kg m^2], in the shape's frame, of a dynamic body.
    SceneError for what no body can have."""
    who, density = f"body {body.name!r}", materials.materials[materials.index(body.material)].density
    try:
        properties = once.mass_properties(body.shape)
    except SceneError as error:
        raise SceneError(f"{who}: {error}") from None
    if not properties.volume > 0:
        raise SceneError(
            f"{who}: volume is {properties.volume:.6g} m^3; give a closed shape with outward faces, or make it static"
        )
    mass = density * properties.volume if body.mass is None else body.mass
    if not finite(mass) or mass <= 0:
        raise SceneError(f"{who}: mass is {mass} kg; set a value above 0")
    if not LIGHTEST <= mass <= HEAVIEST:
        raise SceneError(f"{who}: mass is {mass} kg; set a value from {LIGHTEST:g} to {HEAVIEST:g}")
    inertia = properties.inertia * (mass / properties.volume)
    if body.inertia is not None:
        if not finite(body.inertia) or np.shape(body.inertia) not in ((3,), (3, 3)):
            raise SceneError(f"{who}: inertia is {body.inertia}; give three principal moments or a 3x3 matrix [kg m^2]")
        given = np.array(body.inertia, dtype=float)
        inertia = np.diag(given) if given.shape == (3,) else given
    moments = np.linalg.eigvalsh(0.5 * (inertia + inertia.T))
    said = f"{who}: inertia has principal moments {', '.join(f'{moment:.4g}' for moment in moments)} kg m^2"
    if moments[0] <= 0 or np.abs(inertia - inertia.T).max() > 1e-9 * np.abs(inertia).max():
        raise SceneError(f"{said}; they must be positive and the matrix symmetric")
    if (most := moments[0] + moments[1]) < (1.0 - ROUNDED) * moments[2]:
        raise SceneError(f"{said}, one more than the other two together, as no body has; correct them (at most "
                         f"{most:.4g}), or leave them out for those of the shape")  # fmt: skip
    center = properties.center
    if body.center_of_mass is not None:
        center = vector(who, "center_of_mass", body.center_of_mass, 3, "m")
        if body.inertia is None:
            raise SceneError(f"{who}: has a center_of_mass but no inertia about it; give both or neither")
    return center, mass, 0.5 * (inertia + inertia.T)


def body_size(shape, center):
    """Largest distance of the surface from the centre of mass [m]."""
    vertices, _ = once.surface(shape)
    return float(np.sqrt(np.max(np.sum((vertices - center) ** 2, axis=1))))


def _not_spherical(inertia):
    """True where the three moments differ, so that a spin meets a gyroscopic torque."""
    spherical = np.trace(inertia, axis1=1, axis2=2)[:, None, None] / 3.0 * np.eye(3)
    scale = np.abs(inertia).max(axis=(1, 2))
    return np.abs(inertia - spherical).max(axis=(1, 2)) > 1e-14 * np.where(scale > 0, scale, 1.0)


# Two moments that differ by less than this part of them are one.
ALIKE = 1e-12


def _symmetry(inertia):
    """Axes (R,3) about which the inertias (R,3,3) are symmetric, zeros where all moments differ."""
    moments, axes = np.linalg.eigh(inertia)
    limit = ALIKE * moments[:, 2]
    first, last = moments[:, 1] - moments[:, 0] <= limit, moments[:, 2] - moments[:, 1] <= limit
    return np.where(first[:, None], axes[:, :, 2], np.where(last[:, None], axes[:, :, 0], 0.0))
