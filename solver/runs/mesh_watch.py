"""Judges the meshes of deformable bodies by the loads that a run gave them."""

import numpy as np

from ..base.late import late

checks = late("..dynamics.elastic.checks.mesh_error", __package__)

# Energy of deformation in parts of the shear modulus times the volume below which nothing deformed a body.
STILL = 1e-13
# Linear elements beyond which quadratic ones on the same tetrahedra take longer than a run should wait.
MOST = 8000


class MeshWatch:
    """Keeps of each deformable body the nodes where it is deformed most, among the states it is shown; `found`: see
    results/mesh_notes.py, energies [J] of earlier looks among it."""

    def __init__(self, found):
        self.found, self.nodes = found, {}

    def look(self, model, state):
        """Keep the nodes of bodies that are deformed more than before."""
        for number in np.flatnonzero(model.soft) if state.nodes is not None else ():
            x, name = state.nodes.position[model.span(number)], model.names[number]
            energy, least = model.elastic[number].energy(np.ascontiguousarray(x))
            if least > 0.0 and energy > self.found.get(name, {"energy": 0.0})["energy"]:
                self.found[name] = {"energy": float(energy), "time": float(state.time), "stiff": None}
                self.nodes[number] = x.copy()

    def judge(self, model):
        """Estimate the errors of the meshes; stiff: None where there is none."""
        for number, x in self.nodes.items():
            body, known = model.elastic[number], self.found[model.names[number]]
            known["nodes"] = int(body.elements.shape[1])
            whole = float(body.mu @ body.volume.sum(axis=1))
            if known["energy"] > STILL * whole and (known["nodes"] == 10 or len(body.elements) <= MOST):
                known["stiff"] = checks.mesh_error(body, checks.turned_back(body, x))
