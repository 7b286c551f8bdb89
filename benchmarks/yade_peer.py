"""The slot hopper in YADE, run by bench_hopper.py inside `yade`: prints one JSON object of the same keys."""

import json
import math
import os
import time

from yade import FrictMat, O, Vector3, utils
from yade.wrapper import (
    Bo1_Facet_Aabb,
    Bo1_Sphere_Aabb,
    ForceResetter,
    Ig2_Facet_Sphere_ScGeom,
    Ig2_Sphere_Sphere_ScGeom,
    InsertionSortCollider,
    InteractionLoop,
    Ip2_FrictMat_FrictMat_FrictPhys,
    Law2_ScGeom_FrictPhys_CundallStrack,
    NewtonIntegrator,
)  # fmt: skip

GIVEN = json.loads(os.environ["STICTION_HOPPER"])
D, OUTLET, MU = GIVEN["diameter"], GIVEN["outlet"], GIVEN["friction"]
WIDTH, SLOT, HALF, OPEN = 16.0, 1.05, math.radians(34.0), GIVEN["open"]
# Grains below this height, in diameters, have left; they are taken out below the second.
OUT, GONE = -2.0, -4.0


def rectangle(corners, material):
    """Two facets; their identifiers."""
    a, b, c, d = (Vector3(*corner) for corner in corners)
    return [O.bodies.append(utils.facet(three, material=material, fixed=True)) for three in ((a, b, c), (a, c, d))]


def build():
    """Grains and walls as in the scene slot_hopper; returns (grains, gate's facets)."""
    stiff = dict(young=GIVEN["stiffness"], poisson=0.3)
    grain = O.materials.append(FrictMat(density=1000.0, frictionAngle=math.atan(MU), **stiff))
    plate = O.materials.append(FrictMat(density=1000.0, frictionAngle=0.0, **stiff))
    y, lip, side = 0.5 * SLOT * D, 0.5 * OUTLET * D, 0.5 * WIDTH * D
    shoulder, top = (side - lip) / math.tan(HALF), 40.0 * D
    for sign in (-1.0, 1.0):
        rectangle([(sign * lip, -y, 0), (sign * lip, y, 0), (sign * side, y, shoulder), (sign * side, -y, shoulder)],
                  grain)  # fmt: skip
        rectangle([(sign * side, -y, shoulder), (sign * side, y, shoulder), (sign * side, y, top),
                   (sign * side, -y, top)], grain)  # fmt: skip
        rectangle([(-side, sign * y, -4 * D), (side, sign * y, -4 * D), (side, sign * y, top), (-side, sign * y, top)],
                  plate)  # fmt: skip
    gate = rectangle([(-lip, -y, 0), (lip, -y, 0), (lip, y, 0), (-lip, y, 0)], grain)
    grains = [O.bodies.append(utils.sphere(place, 0.5 * D, material=grain)) for place in GIVEN["places"]]
    return grains, gate


def main():
    """Fill behind the gate, open it, go on to the end."""
    grains, gate = build()
    O.engines = [
        ForceResetter(), InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Facet_Aabb()]),
        InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Facet_Sphere_ScGeom()], [Ip2_FrictMat_FrictMat_FrictPhys()],
                        [Law2_ScGeom_FrictPhys_CundallStrack()]),
        NewtonIntegrator(gravity=(0, 0, -9.81), damping=GIVEN["damping"]),
    ]  # fmt: skip
    O.dt = 0.5 * utils.PWaveTimeStep()
    every, contacts, overlap = max(1, int(0.01 / O.dt)), 0, 0.0
    start = time.process_time()
    steps, is_open, gone = int(round(GIVEN["seconds"] / O.dt)), False, 0
    while O.iter < steps:
        O.run(min(every, steps - O.iter), True)
        real = [i.geom.penetrationDepth for i in O.interactions if i.isReal]
        contacts, overlap = max(contacts, len(real)), max([overlap, *real])
        if O.time >= OPEN and not is_open:
            is_open = True
            for facet in gate:
                O.bodies.erase(facet)
        below = [i for i in grains if O.bodies[i].state.pos[2] < GONE * D]
        for i in below:
            grains.remove(i)
            O.bodies.erase(i)
        gone += len(below)
    out = gone + sum(O.bodies[i].state.pos[2] < OUT * D for i in grains)
    print(json.dumps({"who": f"YADE, {GIVEN['stiffness']:.0e} Pa", "cpu_s": time.process_time() - start,
                      "steps": steps, "accepted": None, "contacts": contacts, "overlap": overlap / D,
                      "out": out}), flush=True)  # fmt: skip


main()
