"""Scenes of test_one_call.py, each of a kind of quiet step."""

from dataclasses import replace

import numpy as np

from stiction.solver.scene import Body, Joint, Keyed, KeyedPoses, Motion, Motor, Scene
from stiction.solver.shapes import Box, Compound, Cylinder, Mesh, Part, Sphere
from stiction.solver.shapes.generators import jack, plate, torus


def shelf():
    """Boxes that begin at rest on a floor and a shelf, one of which falls upon another that sleeps by then."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    boxes = [Body(f"box {k}", Box((1.0, 1.0, 1.0)), position=(1.5 * k, 0.0, 0.5)) for k in range(3)]
    boxes += [Body("on one", Box((0.5, 0.5, 0.5)), position=(0.0, 0.0, 1.25)),
              Body("late", Box((0.3, 0.3, 0.3)), position=(1.6, 0.0, 6.0))]  # fmt: skip
    return Scene(name="shelf", bodies=(floor, *boxes))


def keyed(name, size, *keys, **more):
    """A box on a path through keys (time, place, turn about z)."""
    times, places, turns = zip(*keys, strict=True)
    poses = KeyedPoses(times, places, [(np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)) for turn in turns])
    return Body(name, Box(size), position=places[0], motion=Motion.KINEMATIC, keys=poses, **more)


def whip(name="whip", count=6, at=0.0, speed=0.0):
    """A chain of rods that falls from the side, and cracks."""
    rods = [Body(f"{name} {k}", Box((0.2, 0.04, 0.04)), position=(0.1 + 0.2 * k, at, 2.0)) for k in range(count)]
    rods[-1] = replace(rods[-1], velocity=(0.0, speed, -speed))
    ends = ["world", *(rod.name for rod in rods)]
    joints = [Joint(f"{name} joint {k}", "ball", (ends[k], ends[k + 1]), (0.2 * k, at, 2.0)) for k in range(count)]
    return Scene(name=name, bodies=tuple(rods), joints=tuple(joints))


def long_whip():
    """Of as many rods as make a heap."""
    return whip("long_whip", 24, speed=6.0)


def wrecking():
    """A heavy ball on a chain of light links, which swing hundreds of times faster than steps are."""
    made = whip("wrecking", 5)
    links = [replace(one, mass=0.01) for one in made.bodies]
    ball = Body("ball", Sphere(0.3), mass=1000.0, position=(1.3, 0.0, 2.0))
    hung = Joint("hung", "ball", ("wrecking 4", "ball"), (1.0, 0.0, 2.0))
    return replace(made, bodies=(*links, ball), joints=(*made.joints, hung))


def two_whips():
    """One of which cracks, while the other hangs far away beside a ball that falls."""
    one, other = whip(speed=6.0), whip("other", 2, at=5.0)
    ball = Body("ball", Sphere(0.1), position=(0.0, -5.0, 2.0))
    return replace(one, name="two_whips", bodies=(*one.bodies, *other.bodies, ball), joints=one.joints + other.joints)


def thrown_plates():
    """Thin plates that spin fast above a floor, near each other."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    plates = [Body(f"plate {k}", Box((0.3, 0.2, 0.004)), position=(0.0, 0.0, 0.3 + 0.02 * k),
                   angular_velocity=(12.0 + k, 3.0, 0.0)) for k in range(3)]  # fmt: skip
    return Scene(name="thrown_plates", bodies=(floor, *plates))


def swung():
    """Rings in rings, of which the last is thrown aside: edges turn into each other within each step."""
    shape, half, bodies = Mesh(*torus(0.1, 0.02, 12, 6)), np.sqrt(0.5), []
    for k in range(4):
        turned = (half, half, 0.0, 0.0) if k % 2 == 0 else (0.5,) * 4
        flies = (4.0, 3.0, 0.0) if k == 3 else (0.0, 0.0, 0.0)
        bodies.append(Body(f"ring {k}", shape, motion=Motion.DYNAMIC if k else Motion.STATIC, orientation=turned,
                           position=(0.0, 0.0, -0.156 * k), velocity=flies))  # fmt: skip
    return Scene(name="swung", bodies=tuple(bodies))


def cards():
    """Thin cards that turn as they fly side by side, further in half a step than they are thick."""
    flight = {"velocity": (8.0, 0.0, 4.0), "angular_velocity": (0.0, 8.0, 0.0)}
    thrown = [Body(f"card {k}", Box((0.28, 0.28, 0.02)), position=(0.3 * k, 0.0, 2.0), **flight) for k in range(3)]
    return Scene(name="cards", bodies=tuple(thrown))


def rolling():
    """A car rolls over a floor, each wheel on its two edges: rows that say nearly the same twice."""
    floor = Body("floor", Box((40.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    car = [Body("chassis", Box((2.0, 0.8, 0.3)), position=(0.0, 0.0, 0.45), velocity=(0.5, 0.0, 0.0))]
    joints, upright = [], (np.cos(np.pi / 4), np.sin(np.pi / 4), 0.0, 0.0)
    for k, (x, y) in enumerate(((0.7, 0.6), (0.7, -0.6), (-0.7, 0.6), (-0.7, -0.6))):
        car.append(Body(f"wheel {k}", Cylinder(0.3, 0.2), position=(x, y, 0.3001), orientation=upright,
                        velocity=(0.5, 0.0, 0.0)))  # fmt: skip
        joints.append(Joint(f"axle {k}", "hinge", ("chassis", f"wheel {k}"), (x, y, 0.3001), (0.0, 1.0, 0.0)))
    return Scene(name="rolling", bodies=(floor, *car), joints=tuple(joints))


def pressed():
    """Boxes that begin in the floor and in each other, and are pushed out."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    boxes = [Body(f"box {k}", Box((1.0, 1.0, 1.0)), position=(0.1 * k, 0.0, 0.4996 + 0.9994 * k)) for k in range(3)]
    return Scene(name="pressed", bodies=(floor, *boxes))


def carried():
    """A plate lifts two boxes, and stops."""
    plate = keyed("plate", (3.0, 3.0, 0.2), (0.1, (0.0, 0.0, -0.1), 0.0), (0.7, (0.0, 0.0, 0.4), 0.0))
    boxes = [Body(f"box {k}", Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5 + k)) for k in range(2)]
    return Scene(name="carried", bodies=(plate, *boxes))


def turned():
    """A box rides on a table that turns, and falls on it first."""
    table = keyed("table", (6.0, 6.0, 0.2), (0.0, (0.0, 0.0, -0.1), 0.0), (1.0, (0.0, 0.0, -0.1), 0.8))
    return Scene(name="turned", bodies=(table, Body("box", Box((1.0, 1.0, 1.0)), position=(1.5, 0.0, 0.51))))


def towed():
    """A sledge on a hinge is drawn over the floor."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    horse = keyed("horse", (0.4, 0.4, 0.4), (0.0, (2.0, 0.0, 1.0), 0.0), (1.0, (3.0, 0.0, 1.0), 0.0))
    sledge = Body("sledge", Box((2.0, 1.0, 0.4)), position=(0.0, 0.0, 0.2))
    rod = Joint("rod", "distance", ("horse", "sledge"), positions=((2.0, 0.0, 1.0), (1.0, 0.0, 0.2)))
    return Scene(name="towed", bodies=(floor, horse, sledge), joints=(rod,))


def loose():
    """Two boxes that slide and fall, and a joint that holds neither while they are between its limits."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    boxes = [Body(f"box {k}", Box((1.0, 1.0, 1.0)), position=(1.5 * k, 0.0, 0.5 + 0.1 * k), velocity=(1.0, 0.0, 0.0))
             for k in range(2)]  # fmt: skip
    joint = Joint("joint", "generic", ("box 0", "box 1"), (0.75, 0.0, 0.5), (0.0, 0.0, 1.0), axis2=(1.0, 0.0, 0.0),
                  free=("x", "y", "z", "rx", "ry", "rz"), limits={"x": (-3.0, 3.0)}, collide=True)  # fmt: skip
    return Scene(name="loose", bodies=(floor, *boxes), joints=(joint,))


def woken():
    """A box that has fallen asleep is struck by another, on keys."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    ram = keyed("ram", (0.5, 0.5, 0.5), (1.0, (-2.0, 0.0, 0.5), 0.0), (2.5, (0.0, 0.0, 0.5), 0.3))
    return Scene(name="woken", bodies=(floor, Body("box", Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5)), ram))


def surfaces():
    """A ball, a box and a jack, a mesh, fall on a mesh."""
    floor = Body("floor", Mesh(*plate((6.0, 6.0, 0.5))), position=(0.0, 0.0, -0.25), motion=Motion.STATIC)
    bodies = (Body("ball", Sphere(0.3), position=(-1.5, 0.0, 0.4), velocity=(1.0, 0.0, 0.0)),
              Body("box", Box((0.6, 0.5, 0.4)), position=(0.0, 1.2, 0.22)),
              Body("jack", Mesh(*jack(0.8, 0.2)), position=(1.2, 0.0, 0.42)))  # fmt: skip
    return Scene(name="surfaces", bodies=(floor, *bodies))


def tables():
    """Two tables of five boxes, the one on the other."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    legs = [Part(Box((0.1, 0.1, 0.6)), (x, y, -0.35)) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    table = Compound((Part(Box((1.0, 0.8, 0.1))), *legs))
    high = [Body(f"table {k}", table, position=(0.1 * k, 0.0, 0.651 + 0.702 * k)) for k in range(2)]
    return Scene(name="tables", bodies=(floor, *high))


def columns():
    """Forty columns of balls that lean, more bodies than a search goes through one by one."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    places = [(0.7 * (k % 8) - 2.0, 0.7 * (k // 8) - 2.0) for k in range(40)]
    balls = [Body(f"ball {k} {i}", Sphere(0.1), position=(x + 0.01 * i, y, 0.1 + 0.2 * i))
             for k, (x, y) in enumerate(places) for i in range(5)]  # fmt: skip
    return Scene(name="columns", bodies=(floor, *balls))


def spun():
    """A wheel on the floor's post whose motor turns round, and a box on a slider that is pushed on."""
    wheel = Body("wheel", Cylinder(0.3, 0.1), position=(0.0, 0.0, 1.0))
    box = Body("box", Box((0.4, 0.4, 0.4)), position=(2.0, 0.0, 0.5))
    turned = Motor(Keyed((0.0, 0.1, 0.3), (0.0, 4.0, -4.0)))
    pushed = Motor(Keyed((0.05, 0.2), (1.0, 2.0)), 20.0)
    return Scene(name="spun", bodies=(wheel, box), joints=(
        Joint("axle", "hinge", ("world", "wheel"), (0.0, 0.0, 1.0), motor=turned),
        Joint("rail", "slider", ("world", "box"), (2.0, 0.0, 0.5), (1.0, 0.0, 0.0), motor=pushed),
    ))  # fmt: skip


MADE_HERE = (shelf, whip, long_whip, wrecking, two_whips, thrown_plates, cards, swung, rolling, pressed, carried,
             turned, towed, loose, woken, surfaces, tables, columns, spun)  # fmt: skip
SCENES = {scene.__name__: scene for scene in MADE_HERE}
