"""Refusals of joints: each names the joint, the value and the remedy."""

import numpy as np

from ....base.refusal import SceneError, finite
from ....scene import Bearing, Joint, Keyed, Motor, Servo, Spring
from ...joints import JOINTS

# Fields that every type between bodies takes.
COMMON = {"name", "type", "bodies", "position", "positions", "axis", "collide", "breaking", "compliance",
          "assemble", "switches"}  # fmt: skip
DRIVES = {"limits", "motor", "servo", "spring", "friction"}
# Masses further apart than this leave a step no digits.
MOST_RATIO = 1e6
TYPES = {"motor": Motor, "servo": Servo, "spring": Spring}


def checked(joint, number, moving, before):
    """The JointType of a Joint that is sound. number: bodies by name, -1 the world; before: joints read before it."""
    who = f"joint {joint.name!r}"
    if joint.type not in JOINTS:
        raise SceneError(f"{who}: type is {joint.type!r}; choose one of {', '.join(JOINTS)}")
    if joint.name in before:
        raise SceneError(f"{who}: two joints have this name; give each its own")
    kind = JOINTS[joint.type]
    _fields(joint, kind, who)
    if kind.bodies:
        _bodies(joint, who, number, moving)
        _geometry(joint, kind, who)
    else:
        _others(joint, kind, who, before)
    _numbers(joint, kind, who)
    return kind


def check_masses(tables, mass, names):
    """Refuse joints between bodies of masses (R,) [kg] further apart than round-off lets a step tell; names (R,)."""
    for k, (a, b) in enumerate(tables.per_joint.ends):
        if min(a, b) < 0 or len({a, b}) == 1:
            continue
        light, heavy = sorted((int(a), int(b)), key=lambda body: mass[body])
        if mass[heavy] > MOST_RATIO * (1 + 1e-9) * mass[light]:
            raise SceneError(
                f"joint {tables.names[k]!r}: joins {names[heavy]!r} of {mass[heavy]:.4g} kg to {names[light]!r} of "
                f"{mass[light]:.4g} kg, a ratio of {mass[heavy] / mass[light]:.3g}; give masses within {MOST_RATIO:g} "
                "of each other"
            )


def _fields(joint, kind, who):
    """Fields that the type does not take are refused rather than ignored."""
    allowed = {"name", "type", "compliance", *kind.keys}
    if kind.bodies:
        allowed |= COMMON | (DRIVES | {"static_ratio"} if kind.drives else set())
    for name, entry in Joint.__dataclass_fields__.items():
        if name in allowed or name in ("name", "type"):
            continue
        value = getattr(joint, name)
        if value is not None and value != entry.default:
            raise SceneError(f"{who}: {name} does not belong to a {kind.key} joint; remove it")
    for name in kind.needs:
        if getattr(joint, name) in (None, ()):
            raise SceneError(f"{who}: a {kind.key} joint needs {name}; add it")


def _bodies(joint, who, number, moving):
    if len(joint.bodies) != 2:
        raise SceneError(f"{who}: has {len(joint.bodies)} bodies; give the names of two, 'world' for the ground")
    for name in joint.bodies:
        if name not in number:
            raise SceneError(f"{who}: no body {name!r}; correct the name, or give 'world' for the ground")
    a, b = joint.bodies
    if a == b:
        raise SceneError(f"{who}: joins {a!r} to itself; give two different bodies")
    if not any(number[name] >= 0 and moving[number[name]] for name in joint.bodies):
        raise SceneError(f"{who}: neither {a!r} nor {b!r} moves freely; make one of them dynamic or remove the joint")


def _geometry(joint, kind, who):
    for label, value in (("axis", joint.axis), ("axis2", joint.axis2)):
        if value is None:
            continue
        if len(value) != 3 or not finite(np.array(value, dtype=float)):
            raise SceneError(f"{who}: {label} is {value}; give three finite numbers")
        if not np.linalg.norm(value) > 1e-9:
            raise SceneError(f"{who}: {label} is {list(value)}, of length 0; give a direction")
    if joint.axis2 is not None:
        cosine = np.dot(joint.axis, joint.axis2) / np.linalg.norm(joint.axis) / np.linalg.norm(joint.axis2)
        if kind.key == "universal" and abs(cosine) > 1e-6:
            angle = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
            raise SceneError(f"{who}: axis and axis2 are {angle:.4g} degrees apart; a universal joint needs 90")
        if abs(cosine) > 1 - 1e-9:
            raise SceneError(f"{who}: axis2 is along axis; give a direction across it")
    points = [joint.position] if joint.positions is None else joint.positions
    if joint.positions is not None and len(joint.positions) != 2:
        raise SceneError(f"{who}: has {len(joint.positions)} positions; give one a body")
    for point in points:
        if len(point) != 3 or not finite(np.array(point, dtype=float)):
            raise SceneError(f"{who}: position is {point}; give three finite numbers [m]")
    if kind.key in ("distance", "rope"):
        _line(joint, kind, who)


def _line(joint, kind, who):
    """A rod or a rope against the distance of its ends."""
    apart = float(np.linalg.norm(np.subtract(*np.array(joint.positions, dtype=float))))
    if joint.length is not None and not joint.length > 0:
        raise SceneError(f"{who}: length is {joint.length} m; give more than 0, or leave it out for that at the start")
    if apart == 0.0 and kind.key == "distance":
        raise SceneError(f"{who}: its ends are at one point; a distance joint needs them apart, or use a ball joint")
    if kind.key == "rope" and joint.length is not None and apart > joint.length * (1 + 1e-9):
        raise SceneError(f"{who}: is {joint.length} m long but its ends are {apart:.6g} m apart; give it more length "
                         "or move the bodies")  # fmt: skip


def _others(joint, kind, who, before):
    if len(joint.joints) != 2 or joint.joints[0] == joint.joints[1]:
        raise SceneError(f"{who}: joints are {list(joint.joints)}; give the names of two different joints")
    for name in joint.joints:
        if name not in before:
            raise SceneError(f"{who}: no joint {name!r} before it; correct the name, or put this joint after it")
        if not before[name].held.coordinates:
            raise SceneError(f"{who}: joint {name!r} is {before[name].kind.key} and has nothing that moves")
    wanted = {"rack": ("angle", "travel")}.get(kind.key)
    if wanted:
        found = [next(iter(before[name].held.coordinates.values())).angular for name in joint.joints]
        if found != [True, False]:
            raise SceneError(f"{who}: a rack needs a joint that turns and then one that travels; exchange them")


def _numbers(joint, kind, who):
    for name in ("ratio", "radius", "lead"):
        value = getattr(joint, name)
        if value is not None and (not np.isfinite(value) or value == 0):
            raise SceneError(f"{who}: {name} is {value}; give a number other than 0")
    if joint.breaking is not None and not joint.breaking > 0:
        raise SceneError(f"{who}: breaking is {joint.breaking} N, so it never holds; give more than 0 or leave it out")
    if not (np.isfinite(joint.compliance) and joint.compliance >= 0):
        raise SceneError(f"{who}: compliance is {joint.compliance} m/N; give 0 or more")
    _bearing(joint, kind, who)
    _static_ratio(joint, who)
    _switches(joint, who)
    free = kind.held(joint).coordinates
    for field_name in sorted(DRIVES):
        value = getattr(joint, field_name)
        entries = value if isinstance(value, dict) else {None: value}
        for name, entry in entries.items():
            if name is not None and name not in free:
                raise SceneError(f"{who}: {field_name} has {name!r}; this {kind.key} joint has "
                                 f"{', '.join(free) or 'no coordinate'}")  # fmt: skip
            label = field_name if name is None else f"{field_name}.{name}"
            if entry is not None:
                _drive(field_name, label, entry, who)


def _bearing(joint, kind, who):
    """Friction by the load: where something turns, it needs a radius."""
    if joint.bearing is None:
        return
    if not isinstance(joint.bearing, Bearing):
        raise SceneError(f"{who}: bearing is {joint.bearing!r}; give a Bearing")
    mu, radius = joint.bearing.friction, joint.bearing.radius
    if not (np.isfinite(mu) and mu >= 0):
        raise SceneError(f"{who}: bearing.friction is {mu}; give a coefficient of 0 or more")
    turns = kind.key != "slider"
    if not (np.isfinite(radius) and (radius > 0 if turns else radius == 0)):
        remedy = "give more than 0" if turns else "a slider has none, leave it out"
        raise SceneError(f"{who}: bearing.radius is {radius} m; {remedy}")


def _switches(joint, who):
    times = np.array(joint.switches, dtype=float)
    if not finite(times) or np.any(times < 0) or np.any(np.diff(times) <= 0):
        raise SceneError(f"{who}: switches are {list(joint.switches)} s; give rising times of 0 or more")


def _static_ratio(joint, who):
    """What sticks is held by no less than what slides, and needs friction for it."""
    if not (np.isfinite(joint.static_ratio) and joint.static_ratio >= 1.0):
        raise SceneError(f"{who}: static_ratio is {joint.static_ratio}; give 1 or more, 1 for friction that does not "
                         "fall when sliding begins")  # fmt: skip
    if joint.static_ratio > 1.0 and not joint.friction and joint.bearing is None:
        raise SceneError(f"{who}: static_ratio is {joint.static_ratio:g} and the joint has no friction; give friction "
                         "or a bearing, or leave it out")  # fmt: skip


def _keyed(label, value, who):
    """A keyed target: as many times as values, in order."""
    times, values = (np.array(column, dtype=float) for column in (value.times, value.values))
    if times.shape != values.shape or times.ndim != 1 or len(times) == 0:
        raise SceneError(f"{who}: {label} has {times.size} times and {values.size} values; give as many of each")
    if not (finite(times) and finite(values)):
        raise SceneError(f"{who}: {label} has a key that is no finite number; correct it")
    if np.any(np.diff(times) <= 0):
        i = int(np.flatnonzero(np.diff(times) <= 0)[0])
        raise SceneError(f"{who}: {label}.times[{i + 1}] is {times[i + 1]:g} s, not after {times[i]:g} s; sort them")


def _drive(field_name, label, entry, who):
    if field_name == "limits":
        low, high = entry if isinstance(entry, (list, tuple)) else (None, entry)
        if any(end is not None and np.isnan(end) for end in (low, high)):
            raise SceneError(f"{who}: {label} are {low} to {high}; give numbers")
        if low is not None and high is not None and low > high:
            raise SceneError(f"{who}: {label} are {low} to {high}, the wrong way round; exchange them")
        return
    if field_name == "friction":
        if not (np.isfinite(entry) and entry >= 0):
            raise SceneError(f"{who}: {label} is {entry}; give 0 or more")
        return
    if not isinstance(entry, TYPES[field_name]):
        raise SceneError(f"{who}: {label} is {entry!r}; give a {TYPES[field_name].__name__}")
    for name, value in vars(entry).items():
        if isinstance(value, Keyed):
            _keyed(f"{label}.{name}", value, who)
            continue
        least = -np.inf if name in ("velocity", "target", "rest") else 0.0
        if np.isnan(value) or value < least or (np.isinf(value) and name != "max"):
            bound = " of 0 or more" if least == 0 else ""
            raise SceneError(f"{who}: {label}.{name} is {value}; give a finite number{bound}")
    if field_name == "servo" and entry.stiffness == 0 and entry.damping == 0:
        raise SceneError(f"{who}: {label} has neither stiffness nor damping, so it does nothing; give one of them")
    if field_name == "spring" and entry.stiffness == 0 and entry.damping == 0:
        raise SceneError(f"{who}: {label} has neither stiffness nor damping, so it does nothing; give one of them")
