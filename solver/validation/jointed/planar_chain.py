"""A chain of rods in a plane, in its angles: the truth of chains let go, independent of every row of a joint."""

import numpy as np
from scipy.integrate import solve_ivp


def chain_end(time, links, mass, moment, length, g=9.81, angle=0.5 * np.pi):
    """Place (2,) [m], across and up, of the end of a chain hung at the origin, let go `angle` [rad] from hanging, after
    `time` [s]. mass (n,) [kg] and moment (n,) [kg m^2] about the middle of each rod of `length` [m].

    With q the angles and x = C sin q, z = -C cos q the middles: Lagrange's equations, integrated by Runge and Kutta's
    method of order 8 (Dormand and Prince) to a relative 1e-9.
    """
    C = np.tril(np.full((links, links), length), -1) + 0.5 * length * np.eye(links)
    A, weight = C.T @ (mass[:, None] * C), g * (C.T @ mass)

    def rates(_, y):
        q, w = y[:links], y[links:]
        apart = q[:, None] - q
        push = -(A * np.sin(apart)) @ w**2 - weight * np.sin(q)
        return np.concatenate([w, np.linalg.solve(A * np.cos(apart) + np.diag(moment), push)])

    start = np.concatenate([np.full(links, angle), np.zeros(links)])
    q = solve_ivp(rates, (0.0, time), start, method="DOP853", rtol=1e-9, atol=1e-10).y[:links, -1]
    return length * np.sum(np.sin(q)), -length * np.sum(np.cos(q))
