"""The slot hopper in YADE, run by bench_hopper.py and bench_jams.py inside `yade`: prints one JSON object."""

import json
import math
import os
import time

from yade import FrictMat, O, Vector3, ViscElMat, utils
from yade.wrapper import (
    Bo1_Facet_Aabb,
    Bo1_Sphere_Aabb,
    ForceResetter,
    Ig2_Facet_Sphere_ScGeom,
    Ig2_Sphere_Sphere_ScGeom,
    InsertionSortCollider,
    InteractionLoop,
    Ip2_FrictMat_FrictMat_FrictPhys,
    Ip2_ViscElMat_ViscElMat_ViscElPhys,
    Law2_ScGeom_FrictPhys_CundallStrack,
    Law2_ScGeom_ViscElPhys_Basic,
    NewtonIntegrator,
)  # fmt: skip

GIVEN = json.loads(os.environ["STICTION_HOPPER"])
D, OUTLET, MU = GIVEN["diameter"], GIVEN["outlet"], GIVEN["friction"]
WIDTH, SLOT, HALF, OPEN = 16.0, GIVEN.get("slot", 1.05), math.radians(34.0), GIVEN["open"]
# Grains below this height, in diameters, have left; they are taken out below the second.
OUT, GONE = GIVEN.get("out", -2.0), -4.0
# Part of the critical damping of a contact's normal, 0: none. Near 1 an impact bounces as little as with restitution 0.
VISCOUS = GIVEN.get("viscous", 0.0)
# Tangential over normal stiffness of viscous contacts, and their time step [s] at 1e7 Pa.
SHEAR, VISCOUS_STEP = 0.3, 1e-4
# Jammed: nothing has left for so long [s] while all that is left is slower than this [m/s].
QUIET, SLOW = GIVEN.get("quiet"), 0.05


def rectangle(corners, material):
    """Two facets; their identifiers."""
    a, b, c, d = (Vector3(*corner) for corner in corners)
    return [O.bodies.append(utils.facet(three, material=material, fixed=True)) for three in ((a, b, c), (a, c, d))]


def material(friction):
    """A material of the stiffness given; two viscous ones in touch have half of what each is given."""
    rest = dict(density=1000.0, frictionAngle=math.atan(friction))
    if not VISCOUS:
        return O.materials.append(FrictMat(young=GIVEN["stiffness"], poisson=0.3, **rest))
    normal = GIVEN["stiffness"] * 0.5 * D
    damping = VISCOUS * 2.0 * math.sqrt(normal * 0.5 * 1000.0 * math.pi / 6.0 * D**3)
    return O.materials.append(ViscElMat(kn=2 * normal, cn=2 * damping, ks=2 * SHEAR * normal, cs=0.0, **rest))


def build():
    """Grains and walls as in the scene slot_hopper; returns (grains, gate's facets)."""
    grain, plate = material(MU), material(0.0)
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


def interactions():
    """The loop of contacts: linear ones, of Cundall and Strack or with viscous normals."""
    rule, law = Ip2_FrictMat_FrictMat_FrictPhys(), Law2_ScGeom_FrictPhys_CundallStrack()
    if VISCOUS:
        rule, law = Ip2_ViscElMat_ViscElMat_ViscElPhys(), Law2_ScGeom_ViscElPhys_Basic()
    return InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Facet_Sphere_ScGeom()], [rule], [law])


def jammed(inside, last):
    """True if the hopper counts as jammed: see QUIET."""
    if QUIET is None or O.time < max(OPEN, last) + QUIET:
        return False
    return max(O.bodies[i].state.vel.norm() for i in inside) < SLOW


def main():
    """Fill behind the gate, open it, go on to the end, to a jam or until all has left where a jam ends the run."""
    grains, gate = build()
    O.engines = [
        ForceResetter(), InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Facet_Aabb()]), interactions(),
        NewtonIntegrator(gravity=(0, 0, -9.81), damping=GIVEN["damping"]),
    ]  # fmt: skip
    O.dt = VISCOUS_STEP * math.sqrt(1e7 / GIVEN["stiffness"]) if VISCOUS else 0.5 * utils.PWaveTimeStep()
    every, contacts, overlap = max(1, int(0.01 / O.dt)), 0, 0.0
    start = time.process_time()
    steps, is_open, out, last, ended = int(round(GIVEN["seconds"] / O.dt)), False, set(), 0.0, ""
    while O.iter < steps and not ended:
        O.run(min(every, steps - O.iter), True)
        real = [i.geom.penetrationDepth for i in O.interactions if i.isReal]
        contacts, overlap = max(contacts, len(real)), max([overlap, *real])
        if O.time >= OPEN and not is_open:
            is_open = True
            for facet in gate:
                O.bodies.erase(facet)
        beyond = {i for i in grains if O.bodies[i].state.pos[2] < OUT * D}
        last = O.time if beyond - out else last
        out |= beyond
        for i in [i for i in grains if O.bodies[i].state.pos[2] < GONE * D]:
            grains.remove(i)
            O.bodies.erase(i)
        inside = [i for i in grains if i not in out]
        if QUIET is not None:
            ended = "emptied" if not inside else "jammed" if jammed(inside, last) else ""
    print(json.dumps({"who": f"YADE, {GIVEN['stiffness']:.0e} Pa", "cpu_s": time.process_time() - start,
                      "steps": O.iter, "accepted": None, "contacts": contacts, "overlap": overlap / D,
                      "out": len(out), "ended": ended}), flush=True)  # fmt: skip


main()
