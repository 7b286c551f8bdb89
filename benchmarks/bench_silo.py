"""Janssen's law in a sinking silo, by friction: floor load, wall pressure, part of Coulomb's limit in use, and K.

    python benchmarks/bench_silo.py [--seeds 3] [--friction 0.5 1.0] [--walls 0.3 0.1]

The silo of the validation case hopper_janssen, 10 diameters wide, its floor sinking by 0.15 of one. A row a filling:
floor load and wall pressure over Janssen's with K = 0.6; the part of Coulomb's limit that holds the bed up; K times
that part as the floor load tells it; K; K from the forces between the grains of the middle; what floor and walls carry
of the weight.
"""

import argparse

from stiction.solver.validation.hopper import janssen_load, product_of, silo_loads


def row(seed, friction, wall):
    """One filling, in words."""
    (load, normal, up), height, ratio = silo_loads(seed, friction, wall)
    law, part = janssen_load(height, 1.0, wall) / height, up / (wall * normal)
    product = product_of(load, height, wall)
    return (f"friction {friction:g}, walls {wall:g}, seed {seed}: load {load / law:.2f}, pressure "
            f"{wall * normal / (1 - law):.2f}, part {part:.2f}, product {product:.2f}, K {product / part:.2f}, "
            f"between grains {ratio:.2f}, carried {load + up:.3f}")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--friction", type=float, nargs="+", default=[0.5, 1.0])
    parser.add_argument("--walls", type=float, nargs="+", default=[0.3, 0.1])
    given = parser.parse_args()
    for friction in given.friction:
        for wall in given.walls:
            for seed in range(1, given.seeds + 1):
                print(row(seed, friction, wall), flush=True)
