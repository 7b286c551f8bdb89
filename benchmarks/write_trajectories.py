"""Write trajectories of a small pile, as `stiction verify FILE.npz` judges them (docs/verify.md has the format).

    python benchmarks/write_trajectories.py {mujoco,bullet,stiction} FILE.npz [--time S] [--step S]

Each program has its own pip package (mujoco, pybullet) and its settings as they come, but for damping and rolling
friction, which are off. Copy `saved`, and the function of your program, to write trajectories of your own.
"""

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

FRICTION, DENSITY, GRAVITY = 0.5, 1000.0, (0.0, 0.0, -9.81)
BOX, SPHERE, CAPSULE = "box", "sphere", "capsule"


def pile():
    """[(name, shape, position, orientation w x y z)] of boxes, balls and capsules over a floor, which is the first."""
    rng, bodies = np.random.default_rng(3), [("floor", {"type": BOX, "sides": [4.0, 4.0, 1.0]}, [0, 0, -0.5],
                                              [1.0, 0, 0, 0])]  # fmt: skip
    for k in range(12):
        shape = ({"type": BOX, "sides": [0.3, 0.24, 0.18]}, {"type": SPHERE, "radius": 0.12},
                 {"type": CAPSULE, "radius": 0.08, "length": 0.2})[k % 3]  # fmt: skip
        q = rng.standard_normal(4)
        at = [*(0.12 * rng.standard_normal(2)), 0.25 + 0.3 * k]
        bodies.append((f"{shape['type']}{k}", shape, at, list(q / np.linalg.norm(q))))
    return bodies


def mass_of(shape):
    """Mass [kg] and moments of inertia (3,) [kg m^2] about the axes of a shape."""
    if shape["type"] == BOX:
        square = np.array(shape["sides"]) ** 2
        mass = DENSITY * np.prod(shape["sides"])
        return mass, mass / 12 * (square.sum() - square)
    r, length = shape["radius"], shape.get("length", 0.0)
    ends, rod = DENSITY * 4 / 3 * np.pi * r**3, DENSITY * np.pi * r**2 * length
    side = rod * (length**2 / 12 + r**2 / 4) + ends * (2 / 5 * r**2 + length**2 / 4 + 3 / 8 * length * r)
    about = rod * r**2 / 2 + ends * 2 / 5 * r**2
    return ends + rod, np.array([side, side, about])


def saved(path, program, step, states, contacts, when):
    """Write the file: states [(position, orientation, velocity, spin) of all bodies, (R,...)], contacts [(step, bodies
    a and b, point, normal from a to b, impulse on b, gap)], `when` the part of a step at which impulses act."""
    bodies = []
    for number, (name, shape, _, _) in enumerate(pile()):
        mass, inertia = mass_of(shape)
        bodies.append({"name": name, "shapes": [shape], **({"mass": mass, "inertia": list(inertia)} if number else {})})
    scene = {"name": "pile", "program": program, "gravity": GRAVITY, "friction": FRICTION, "bodies": bodies,
             "when": when}  # fmt: skip
    columns = zip(("position", "orientation", "velocity", "spin"), zip(*states, strict=True), strict=True)
    each = [np.array(one, dtype=float) for one in zip(*contacts, strict=True)]
    contact = zip(("step", "body", "point", "normal", "impulse", "gap"), each, strict=True)
    np.savez_compressed(path, scene=json.dumps(scene), time=step * np.arange(len(states)),
                        **{name: np.array(of) for name, of in columns},
                        **{f"contact_{name}": of for name, of in contact})  # fmt: skip


def mujoco(path, time, step):
    """MuJoCo, with elliptic friction cones."""
    import mujoco

    parts = [f"<option timestep='{step}' gravity='{' '.join(map(str, GRAVITY))}' cone='elliptic'/><worldbody>"]
    for number, (name, shape, at, q) in enumerate(pile()):
        mass, inertia = mass_of(shape)
        size = {BOX: lambda one: 0.5 * np.array(one["sides"]), SPHERE: lambda one: [one["radius"]],
                CAPSULE: lambda one: [one["radius"], 0.5 * one["length"]]}[shape["type"]](shape)  # fmt: skip
        numbers = {key: " ".join(map(repr, map(float, of))) for key, of in
                   (("at", at), ("q", q), ("inertia", inertia), ("size", size))}  # fmt: skip
        own = f"<freejoint/><inertial pos='0 0 0' mass='{mass}' diaginertia='{numbers['inertia']}'/>" if number else ""
        geom = f"<geom type='{shape['type']}' size='{numbers['size']}' friction='{FRICTION} 0 0' condim='3'/>"
        parts.append(f"<body name='{name}' pos='{numbers['at']}' quat='{numbers['q']}'>{own}{geom}</body>")
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{''.join(parts)}</worldbody></mujoco>")
    data, states, contacts, force = mujoco.MjData(model), [], [], np.zeros(6)
    of = [model.body(name).id for name, *_ in pile()]

    def state():
        x, q, v, w = (np.zeros((len(of), size)) for size in (3, 4, 3, 3))
        x[0], q[0] = pile()[0][2:]
        x[1:], q[1:] = data.qpos.reshape(-1, 7)[:, :3], data.qpos.reshape(-1, 7)[:, 3:]
        v[1:] = data.qvel.reshape(-1, 6)[:, :3]
        for row, spin in enumerate(data.qvel.reshape(-1, 6)[:, 3:], 1):
            mujoco.mju_rotVecQuat(w[row], spin, q[row])
        return x, q, v, w

    states.append(state())
    for number in range(round(time / step)):
        mujoco.mj_step(model, data)
        for k, one in enumerate(data.contact):
            mujoco.mj_contactForce(model, data, k, force)
            axes, ends = one.frame.reshape(3, 3), [of.index(model.geom_bodyid[geom]) for geom in one.geom]
            contacts.append((number, ends, one.pos.copy(), axes[0].copy(), step * force[:3] @ axes, one.dist))
        states.append(state())
    saved(path, f"MuJoCo {mujoco.__version__}", step, states, contacts, 0.0)


def bullet(path, time, step):
    """Bullet."""
    import pybullet as p

    p.connect(p.DIRECT)
    p.setGravity(*GRAVITY)
    p.setTimeStep(step)
    own = []
    for number, (_, shape, at, q) in enumerate(pile()):
        mass, inertia = mass_of(shape)
        given = {BOX: lambda one: (p.GEOM_BOX, {"halfExtents": [0.5 * side for side in one["sides"]]}),
                 SPHERE: lambda one: (p.GEOM_SPHERE, {"radius": one["radius"]}),
                 CAPSULE: lambda one: (p.GEOM_CAPSULE, {"radius": one["radius"], "height": one["length"]})}  # fmt: skip
        kind, sizes = given[shape["type"]](shape)
        body = p.createMultiBody(mass if number else 0.0, p.createCollisionShape(kind, **sizes), basePosition=at,
                                 baseOrientation=[*q[1:], q[0]])  # fmt: skip
        # Bullet multiplies the coefficients of two bodies.
        p.changeDynamics(body, -1, lateralFriction=np.sqrt(FRICTION), rollingFriction=0, spinningFriction=0,
                         restitution=0, linearDamping=0, angularDamping=0,
                         **({"localInertiaDiagonal": list(inertia)} if number else {}))  # fmt: skip
        own.append(body)

    def state():
        poses, twists = [p.getBasePositionAndOrientation(b) for b in own], [p.getBaseVelocity(b) for b in own]
        q = np.array([q for _, q in poses])[:, [3, 0, 1, 2]]
        return [x for x, _ in poses], q, [v for v, _ in twists], [w for _, w in twists]

    states, contacts = [state()], []
    for number in range(round(time / step)):
        p.stepSimulation()
        for _, a, b, _, _, on_a, on_b, normal, gap, load, along, s, across, t in p.getContactPoints():
            force = load * np.array(normal) + along * np.array(s) + across * np.array(t)
            contacts.append((number, (b, a), 0.5 * (np.array(on_a) + on_b), normal, step * force, gap))
        states.append(state())
    saved(path, f"Bullet {p.getAPIVersion()}", step, states, contacts, 0.0)


def stiction(path, time, step):
    """This package."""
    from stiction.solver.materials import Material, MaterialTable
    from stiction.solver.scene import Body, Motion, Scene
    from stiction.solver.shapes import SHAPES
    from stiction.solver.simulation import options_for, simulate
    from stiction.solver.verify.reading import Run

    bodies = []
    for number, (name, shape, at, q) in enumerate(pile()):
        sizes = {key: of for key, of in shape.items() if key not in ("type", "sides")}
        sizes |= {"size": tuple(shape["sides"])} if shape["type"] == BOX else {}
        bodies.append(Body(name, SHAPES[shape["type"]](**sizes), position=tuple(map(float, at)), orientation=tuple(q),
                           **({} if number else {"motion": Motion.STATIC})))  # fmt: skip
    scene = Scene(tuple(bodies), materials=MaterialTable((Material("default", DENSITY, FRICTION),)), name="pile")
    with tempfile.TemporaryDirectory() as folder:
        simulate(scene, options_for(scene, time=time, time_step=step, steps_per_frame=1, store_contacts=True),
                 Path(folder) / "run")  # fmt: skip
        run = Run(Path(folder) / "run")
    axes = np.stack([run.normal, run.tangent, np.cross(run.normal, run.tangent)], axis=1)
    impulse = np.einsum("ci,cij->cj", run.impulse[:, :3], axes)
    ends = np.column_stack([run.body[run.a], run.body[run.b]])
    contacts = zip(run.step[run.contact_of] - 1, ends, run.point, run.normal, impulse, run.gap, strict=True)
    states = [np.split(frame, [3, 7, 10], axis=1) for frame in run.frames]
    saved(path, "Stiction", step, states, list(contacts), 0.5)


def main():
    """Write one file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", choices=("mujoco", "bullet", "stiction"))
    parser.add_argument("path")
    parser.add_argument("--time", type=float, default=1.5)
    parser.add_argument("--step", type=float, default=1 / 240)
    given = parser.parse_args()
    globals()[given.program](given.path, given.time, given.step)


if __name__ == "__main__":
    main()
