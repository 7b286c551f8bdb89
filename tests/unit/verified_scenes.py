"""Short runs of ten kinds that are recorded and verified, and records that say something else."""

import json

import numpy as np

from stiction.solver.base.files import checksum
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.recording.constants import NAME
from stiction.solver.scene import Body, Elastic, Emitter, Joint, KeyedPoses, Motion, Motor, Scene
from stiction.solver.scenes.lookup import find_scene
from stiction.solver.shapes import SHAPES, Tetrahedra
from stiction.solver.simulation import options_for, simulate

BOX, SPHERE, CAPSULE, CYLINDER = (SHAPES[name] for name in ("box", "sphere", "capsule", "cylinder"))
STATIC = Motion.STATIC


def scene(name, bodies, joints=(), material=(), **more):
    """A Scene on a floor whose top is at z = 0."""
    floor = Body("floor", BOX((8.0, 8.0, 1.0)), motion=STATIC, position=(0, 0, -0.5))
    materials = MaterialTable((Material("default", **dict(material)),))
    return Scene((floor, *bodies), materials=materials, joints=tuple(joints), name=name, **more)


def edit_recording(folder, edit):
    """Change what the recording of a run in a folder says by edit(it), with the checksum that this has."""
    path = folder / NAME
    said = json.loads(path.read_text())
    edit(said)
    path.write_text(json.dumps(said | {"checksum": checksum(said)}))


def turned(angle, axis):
    """Orientation w, x, y, z of a turn [rad] about an axis."""
    axis = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    return (float(np.cos(angle / 2)), *(float(x) for x in np.sin(angle / 2) * axis))


def pile():
    """Four shapes fall on each other and on the floor."""
    bodies = [
        Body("box", BOX((0.4, 0.3, 0.2)), position=(0, 0, 0.11), orientation=turned(0.1, (1, 2, 0))),
        Body("ball", SPHERE(0.12), position=(0.02, 0.03, 0.37), velocity=(0.3, 0, -1)),
        Body("rod", CAPSULE(0.06, 0.3), position=(0.1, 0.3, 0.2), orientation=turned(1.4, (1, 0, 0.2)),
             angular_velocity=(0, 3, 1)),
        Body("drum", CYLINDER(0.1, 0.25), position=(-0.4, 0, 0.2), orientation=turned(1.2, (1, 0.3, 0))),
    ]  # fmt: skip
    return scene("pile", bodies)


def throw():
    """A spinning box and a ball hit floor and wall, and bounce."""
    bodies = [
        Body("wall", BOX((0.2, 4.0, 2.0)), motion=STATIC, position=(1.0, 0, 1.0)),
        Body("box", BOX((0.3, 0.2, 0.1)), position=(0.3, 0, 0.5), velocity=(4, 1, 0), angular_velocity=(5, 9, 2)),
        Body("ball", SPHERE(0.1), position=(0.2, 1, 0.25), velocity=(3, 0, -2), angular_velocity=(0, 20, 0)),
    ]
    return scene("throw", bodies, material={"restitution": 0.6, "tangential_restitution": 0.3})


def chain():
    """Links on ball joints fall from the side, the last one a weight."""
    links, joints, last = [], [], "world"
    for k in range(4):
        links.append(Body(f"link{k}", BOX((0.3, 0.04, 0.04)), position=(0.15 + 0.3 * k, 0, 2), mass=0.5))
        joints.append(Joint(f"pin{k}", "ball", (last, f"link{k}"), (0.3 * k, 0, 2)))
        last = f"link{k}"
    links.append(Body("weight", SPHERE(0.1), position=(1.3, 0, 2), mass=5.0))
    joints.append(Joint("end", "fixed", (last, "weight"), (1.2, 0, 2)))
    return scene("chain", links, joints)


def floating():
    """Three boxes on a ball joint and a hinge fly, turning."""
    spins = (3, -2, 5), (1, 4, -3), (-4, 2, -3)
    boxes = [Body(f"box{k}", BOX((0.2, 0.1, 0.06)), position=(0.2 * k, 0, 2), angular_velocity=spins[k])
             for k in range(3)]  # fmt: skip
    joints = (Joint("ball", "ball", ("box0", "box1"), (0.1, 0, 2)),
              Joint("hinge", "hinge", ("box1", "box2"), (0.3, 0, 2), (0, 0, 1)))  # fmt: skip
    return scene("floating", boxes, joints)


def motor():
    """A motor turns a crank against a box on the floor."""
    bodies = [
        Body("post", BOX((0.1, 0.1, 0.5)), motion=STATIC, position=(0, 0, 0.25)),
        Body("crank", BOX((0.8, 0.1, 0.1)), position=(0, 0, 0.6), mass=2.0),
        Body("box", BOX((0.2, 0.2, 0.8)), position=(0.3, 0.25, 0.4)),
    ]
    return scene("motor", bodies, [Joint("hinge", "hinge", ("post", "crank"), (0, 0, 0.55), (0, 0, 1),
                                         motor=Motor(3.0, 30.0))])  # fmt: skip


def friction():
    """A hinge and a slider with friction carry a pendulum."""
    bodies = [
        Body("cart", BOX((0.2, 0.2, 0.1)), position=(0, 0, 1.5), velocity=(1, 0, 0), mass=1.0),
        Body("bob", BOX((0.1, 0.1, 0.6)), position=(0, 0.2, 1.2), angular_velocity=(0, 6, 0), mass=1.0),
    ]
    joints = [Joint("rail", "slider", ("world", "cart"), (0, 0, 1.5), (1, 0, 0), friction=2.0),
              Joint("pin", "hinge", ("cart", "bob"), (0, 0.1, 1.5), (0, 1, 0), friction=0.2)]  # fmt: skip
    return scene("friction", bodies, joints)


def soft():
    """A damped soft cube falls onto the floor, a rigid box onto it, and a soft one of quadratic elements at both."""
    rubber = Elastic(young=2e4, poisson=0.4, damping=(0.5, 2e-3))
    finer = Elastic(young=4e4, poisson=0.45, element="t10")
    bodies = [
        Body("cube", Tetrahedra(*box_grid((1, 2, 1), (0.3, 0.3, 0.2))), position=(0, 0, 0.105), elastic=rubber),
        Body("box", BOX((0.16, 0.12, 0.1)), position=(0.02, 0.03, 0.26), angular_velocity=(0, 0, 3)),
        Body("thrown", Tetrahedra(*box_grid((1, 1, 1), (0.1, 0.1, 0.1))), position=(0.22, 0.01, 0.17), elastic=finer,
             velocity=(-2, 0, 1), angular_velocity=(0, 4, 2)),
        Body("alone", BOX((0.1, 0.1, 0.1)), position=(1, 1, 0.06), velocity=(1, 0, 0)),
    ]  # fmt: skip
    return scene("soft", bodies)


def pusher():
    """A body on keys pushes two boxes, and another hangs on it by a hinge."""
    times = np.linspace(0, 0.4, 9)
    places = np.column_stack([-0.6 + 1.5 * times, 0 * times, 0.3 + 0 * times])
    keys = KeyedPoses(times, places, [turned(0.5 * t, (0, 0, 1)) for t in times])
    bodies = [
        Body("pusher", BOX((0.2, 0.6, 0.4)), motion=Motion.KINEMATIC, keys=keys, position=(-0.6, 0, 0.3)),
        Body("box", BOX((0.3, 0.3, 0.3)), position=(-0.3, 0, 0.15)),
        Body("second", BOX((0.3, 0.3, 0.3)), position=(0.05, 0.05, 0.15)),
        Body("flag", BOX((0.3, 0.05, 0.2)), position=(-0.85, 0, 0.6), collides_with=()),
    ]
    return scene("pusher", bodies, [Joint("pin", "hinge", ("pusher", "flag"), (-0.7, 0, 0.6), (0, 1, 0))])


def emitter():
    """Grains are poured onto the floor."""
    pour = Emitter("spout", (SPHERE(0.05), BOX((0.09, 0.08, 0.07))), ((-0.2, -0.2, 0.3), (0.2, 0.2, 0.4)), 12, 60.0,
                   velocity=(0, 0, -2))  # fmt: skip
    return scene("emitter", [], emitters=(pour,))


def arch():
    """Voussoirs that stand."""
    return find_scene("arch20", False)


def hopper():
    """Grains in a wedge."""
    return find_scene("slot_hopper", False)


MADE = pile, throw, chain, floating, motor, friction, soft, pusher, emitter, arch, hopper
KINDS = {made.__name__: made for made in MADE}
TIMES = {"arch": 0.05, "hopper": 0.1, "emitter": 0.25, "soft": 0.08}


def recorded(made, folder, time=None, **changes):
    """Simulate a Scene into a folder with all that is needed to verify it; returns the Trajectory."""
    time = TIMES.get(made.name, 0.4) if time is None else time
    options = options_for(made, time=time, store_contacts=True, threads=1, **changes)
    return simulate(made, options, folder)
