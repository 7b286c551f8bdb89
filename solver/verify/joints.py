"""Joints: what each type holds, from the poses of its bodies, and that its impulses are equal and opposite."""

import numpy as np

from .mechanics import ROUND_OFF, connected, matrix, turned

# Units of the coordinate of those types whose reported one is recomputed.
UNITS = {"hinge": "rad", "slider": "m"}
# Types that couple other joints, whose loads are told with those.
COUPLING = "gear", "mimic", "rack"
# What is zero of each type: lengths [m] of B's anchor along the axes of A, and of the six turns in `explained` those
# about them, those by which z of B leans towards s and t, and that by which t of B is from square to s.
ALL, ACROSS, ALIKE, ALIGNED, SQUARE = [0, 1, 2], [0, 1], [0, 1, 2], [3, 4], [5]
HELD = {
    "ball": (ALL, []), "fixed": (ALL, ALIKE), "hinge": (ALL, ALIGNED), "universal": (ALL, SQUARE),
    "slider": (ACROSS, ALIKE), "cylindrical": (ACROSS, ALIGNED), "planar": ([2], ALIGNED),
}  # fmt: skip


def places(joint, position, orientation):
    """Anchors (2,F,3) and axes (2,F,3,3), as columns, of a joint at poses of all bodies (F,R,3), (F,R,4)."""
    anchors, axes = [], []
    for body, anchor, frame in zip(joint["ends"], joint["anchors"], joint["frames"], strict=True):
        R = np.tile(np.eye(3), (len(position), 1, 1)) if body < 0 else matrix(orientation[:, body])
        anchors.append((0.0 if body < 0 else position[:, body]) + R @ np.array(anchor, dtype=float))
        axes.append(R @ np.array(frame, dtype=float))
    return anchors, axes


def openings(joint, position, orientation):
    """(gap (F,) [m], angle (F,) [rad] of the least turn that closes it) by which a joint is open at poses of all bodies
    (F,R,3), (F,R,4); nothing for a type that is not in HELD, or that yields."""
    if joint["type"] not in HELD or joint.get("compliance", 0.0) > 0:
        return ()
    anchors, axes = places(joint, position, orientation)
    d, C = np.einsum("fi,fij->fj", anchors[1] - anchors[0], axes[0]), axes[0].transpose(0, 2, 1) @ axes[1]
    lengths, angles = HELD[joint["type"]]
    return np.linalg.norm(d[:, lengths], axis=1), _least_turn(C, angles)


def _least_turn(C, angles):
    """Angle (F,) [rad] of the least turn after which what HELD lists is zero, for the axes C (F,3,3) of B in those of
    A."""
    if angles == ALIKE:
        axial = np.stack([C[:, 2, 1] - C[:, 1, 2], C[:, 0, 2] - C[:, 2, 0], C[:, 1, 0] - C[:, 0, 1]])
        return np.arctan2(np.linalg.norm(axial, axis=0), np.trace(C, axis1=1, axis2=2) - 1.0)
    if angles == ALIGNED:
        return np.arctan2(np.hypot(C[:, 0, 2], C[:, 1, 2]), C[:, 2, 2])
    return np.abs(np.arctan2(C[:, 0, 1], np.hypot(C[:, 1, 1], C[:, 2, 1]))) if angles == SQUARE else np.zeros(len(C))


def coordinate(joint, position, orientation, told):
    """The travel or the angle (F,) of a slider or a hinge at poses of all bodies (F,R,3), (F,R,4): of those that whole
    turns apart are one the nearest to what is told (F,)."""
    anchors, axes = places(joint, position, orientation)
    if joint["type"] == "slider":
        return np.einsum("fi,fi->f", anchors[1] - anchors[0], axes[0][:, :, 2])
    C = axes[0].transpose(0, 2, 1) @ axes[1]
    angle = np.arctan2(C[:, 1, 0] - C[:, 0, 1], C[:, 0, 0] + C[:, 1, 1])
    return angle + 2 * np.pi * np.round((told - angle) / (2 * np.pi))


def rate(joint, position, orientation, twist):
    """The rate (F,) of the coordinate of a slider or a hinge at poses and twists (F,R,6) of all bodies."""
    (_, place), axes = places(joint, position, orientation)
    both = []
    for body in joint["ends"]:
        v, w = np.split(0.0 * twist[:, 0] if body < 0 else twist[:, body], 2, axis=1)
        arm = place - (0.0 if body < 0 else position[:, body])
        both.append(w if joint["type"] == "hinge" else v + np.cross(w, arm))
    return np.einsum("fi,fi->f", both[1] - both[0], axes[0][:, :, 2])


def sides(run):
    """(Numbers (E,2) of the bodies that joints are between, -1 for the world; which of them (E,) each body is)."""
    ends = np.array([joint["ends"] for joint in run.constants["joints"]], dtype=int).reshape(-1, 2)[run.joint]
    return ends, (ends[:, 0] != run.body[run.at]).astype(int)


def other_ends(run):
    """The rows (E,) of the bodies by which joints hold each body; -1 for the world."""
    ends, side = sides(run)
    other = ends[np.arange(len(ends)), 1 - side]
    at = np.flatnonzero(other >= 0)
    other[at] = run.rows(run.joint_of[at], other[at])
    return other


def floating(run, moved, way):
    """(group (N,) of bodies that joints couple with nothing fixed, or that are among those `moved` (N,) otherwise than
    by velocities, by `way` (N,) [m], and touch others of them and nothing fixed, which each row of bodies is of, by its
    first row, -1 for the others, -2 where that is not known; whether it has parts that are turned by themselves (N,)).
    """
    rows = np.arange(len(run.body))
    # A slack rope couples nothing.
    holds = np.any(run.wrench != 0.0, axis=1) | (_types(run) != "rope")
    free, bound = run.coupled & holds, ~run.coupled & holds
    group = connected(len(rows), run.at[free], run.other[free])
    several, held = np.isin(rows, run.at[free]), np.isin(group, group[run.at[bound]])
    # Joints alone are closed where nothing touches.
    moved = moved & np.isin(group, group[np.append(run.a, run.b)])
    pushes = run.impulse[:, 0] != 0.0
    # What pushes bodies by displacement is not recorded: it closes overlap, there or at the end, and gaps by what it
    # moves.
    reaches = pushes | (np.minimum(run.gap, end_gaps(run)) < way[run.a] + way[run.b])
    both, joined = moved[run.a] & moved[run.b], pushes & run.moves[run.a] & run.moves[run.b]
    found = []
    for pairs, walls in ((both | joined, reaches), (joined, pushes)):
        label = connected(len(rows), np.append(run.a[pairs], rows), np.append(run.b[pairs], group))
        touched = [here[(pushes | (walls & moved[here])) & ~run.moves[there]]
                   for here, there in ((run.a, run.b), (run.b, run.a))]  # fmt: skip
        fixed = label[np.concatenate([*touched, np.flatnonzero(held)])]
        found.append((label, np.isin(label, label[moved]) & ~np.isin(label, fixed)))
    (island, loose), (least, parts) = found
    mixed = loose & np.isin(island, island[several | (island != least)])
    # Of what no impulse of velocities joins to what is held, it is not known whether displacement does.
    return np.where(loose, island, np.where(parts, -2, np.where(several & ~held, group, -1))), mixed


def _types(run):
    """The type (E,) of the joint of each row."""
    return np.array([joint["type"] for joint in run.constants["joints"]], dtype=object)[run.joint]


def end_gaps(run):
    """Gaps (C,) [m] of contacts where the points at which they are found end."""
    gap = run.gap.copy()
    for row, sign in ((run.a, -1.0), (run.b, 1.0)):
        turn = matrix(run.end.orientation[row]) @ matrix(run.push.orientation[row]).transpose(0, 2, 1)
        end = run.end.position[row] + turned(turn, run.point - run.push.position[row])
        gap += sign * ((end - run.point) * run.normal).sum(axis=1)
    return gap


def mean_places(run):
    """How far (E,) [m] joints may push from where their bodies are in the middle of a substep: in the mean over it, a
    third of h^2 / 2 times the acceleration further, that by which the arm turns faster included, and closed, where
    turning while going straight opens each end by half of (w h / 2)^2 times the arm, and a joint that holds again is
    open by what closing moves its bodies."""
    h = run.length[run.joint_of]
    gained, faster = np.linalg.norm((run.push.twist - run.start.twist)[run.at].reshape(-1, 2, 3), axis=2).T
    anchors = np.array([joint["anchors"] for joint in run.constants["joints"]], dtype=float).reshape(-1, 2, 3)
    arm = np.linalg.norm(anchors[run.joint, sides(run)[1]], axis=1)
    turn = h * np.linalg.norm(run.start.spin[run.at], axis=1)
    way, angle = np.linalg.norm(run.strays[0][run.at], axis=1), run.strays[1][run.at]
    return (h / 3.0 * (gained + faster * arm + h * np.linalg.norm(run.gravity)) + turn**2 / 4.0 * arm
            + way + angle * arm)  # fmt: skip


def given_work(run):
    """Work (E,) [J] that bodies on given paths do on others by joints, and how far off it may be because joints push
    at their mean places."""
    driven = (run.other >= 0) & ~run.moves[run.other]
    v, spin, force = run.push.velocity[run.other], run.push.spin[run.other], run.wrench[:, :3]
    moment = run.wrench[:, 3:] + np.cross(run.push.position[run.at] - run.push.position[run.other], force)
    most = mean_places(run) * np.linalg.norm(force, axis=1) * np.linalg.norm(spin, axis=1)
    return np.where(driven, [(force * v + moment * spin).sum(axis=1), most], 0.0)


def _leans(run, joint):
    """Whether a joint couples two others of which one is to something fixed, which takes a part of its impulses."""
    ends = [end for one in run.constants["joints"] if one["name"] in joint.get("joints", ()) for end in one["ends"]]
    return any(end < 0 or run.header["motion"][end] != "dynamic" for end in ends)


def joints(run):
    """Joints push with equal and opposite impulses, between bodies that all move freely, about the world's origin, and
    are no more open at the frames than was reported."""
    given = run.constants["joints"]
    if not given:
        return
    names = [joint["name"] for joint in given]
    rows = np.flatnonzero(run.coupled & ~np.array([_leans(run, joint) for joint in given])[run.joint])
    keys, index = np.unique(np.stack([run.joint_of, run.joint])[:, rows], axis=1, return_inverse=True)
    force, moment, place = run.wrench[rows, :3], run.wrench[rows, 3:], run.push.position[run.at[rows]]
    length = np.linalg.norm(force, axis=1)
    size = (1.0 + np.linalg.norm(place, axis=1)) * length + np.linalg.norm(moment, axis=1)
    total = np.zeros((keys.shape[1], 8))
    np.add.at(total, index.ravel(), np.column_stack([force, moment + np.cross(place, force), size,
                                                     mean_places(run)[rows] * length]))  # fmt: skip
    who, (size, about) = (keys[0], np.array(names, dtype=object)[keys[1]]), total[:, 6:].T
    for name, unit, off, more in (("impulses", "N s", total[:, :3], 0.0), ("moments", "N m s", total[:, 3:6], about)):
        off = np.linalg.norm(off, axis=1)
        yield f"{name} of joints are equal and opposite", unit, off, ROUND_OFF * size + more, *who
    yield from _told(run, given)
    every = int(run.header["options"]["steps_per_frame"])
    frames = np.minimum(np.searchsorted(run.step, every * np.arange(len(run.frames))), len(run.step) - 1)
    for number, joint in enumerate(given):
        # A joint that broke is reported as free of loads.
        whole = np.any(run.readings[:, number, 2:10] != 0.0, axis=1)
        opened = openings(joint, run.frames[:, :, :3], run.frames[:, :, 3:7])
        for found, k, name, unit in zip(opened, (2, 3), ("gap", "angle"), ("m", "rad"), strict=False):
            allowed = run.readings[:, number, k] * (1 + 1e-6) + 1e-12 * (1 + np.abs(run.frames).max())
            yield (f"{name} of joint {joint['name']}, against what is reported", unit, np.where(whole, found, 0.0),
                   allowed, frames)  # fmt: skip
        if joint["type"] in UNITS:
            told = run.readings[:, number, 0]
            off = np.abs(coordinate(joint, run.frames[:, :, :3], run.frames[:, :, 3:7], told) - told)
            yield (f"coordinate of joint {joint['name']} as reported", UNITS[joint["type"]], np.where(whole, off, 0.0),
                   1e-9 * (1 + np.abs(told)) + 1e-12 * np.abs(run.frames).max(), frames)  # fmt: skip
            told, twist = run.readings[:, number, 1], run.frames[:, :, 7:]
            off = np.abs(rate(joint, run.frames[:, :, :3], run.frames[:, :, 3:7], twist) - told)
            # Axes that lean against each other turn otherwise by as much; what yields has none that are known.
            lean = opened[1] if opened else np.inf
            yield (f"rate of joint {joint['name']} as reported", UNITS[joint["type"]] + "/s", np.where(whole, off, 0.0),
                   (1e-9 + 2 * lean) * (1e-3 + np.abs(twist).max(axis=(1, 2))), frames)  # fmt: skip


def _told(run, given):
    """Forces of joints as the frames tell them are those of the last substep of the step that ends there, on the second
    body, or against those on the first where that is the world."""
    every, (ends, side) = int(run.header["options"]["steps_per_frame"]), sides(run)
    shown, frame = run.frames_of(run.step[run.of], len(run.readings))
    last = np.full((len(run.readings), len(run.names)), -1)
    np.maximum.at(last, (frame, run.body[shown]), run.of[shown])
    frame = run.step[run.joint_of] // every
    own = (side == (ends[:, 1] >= 0)) & ~np.isin(_types(run), COUPLING) & np.isin(run.at, shown)
    own[own] = run.joint_of[own] == last[frame[own], run.body[run.at[own]]]
    force = np.where(side == 1, 1.0, -1.0)[:, None] * run.wrench[:, :3] / run.length[run.joint_of][:, None]
    total, size = np.zeros((*run.readings.shape[:2], 3)), np.zeros(run.readings.shape[:2])
    np.add.at(total, (frame[own], run.joint[own]), force[own])
    np.add.at(size, (frame[own], run.joint[own]), np.linalg.norm(force[own], axis=1))
    # A joint that broke is reported as free of loads.
    frames, number = np.nonzero((size > 0) & np.any(run.readings[:, :, 2:10] != 0.0, axis=2))
    off = np.linalg.norm(run.readings[:, :, 4:7] - total, axis=2)[frames, number]
    names = np.array([joint["name"] for joint in given], dtype=object)[number]
    yield ("forces of joints as reported", "N", off, ROUND_OFF * size[frames, number],
           np.searchsorted(run.step, frames * every), names)  # fmt: skip
