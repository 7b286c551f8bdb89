"""What a run looks at in its deformable bodies, and what those in shape vectors leave out of their shape."""

import numpy as np

from ..base import kept
from ..base.late import late
from ..kernels.sources import source_hash
from .mesh_watch import MeshWatch
from .squeezed_watch import SqueezedWatch

basis, laws = late("..dynamics.reduced.basis", __package__), late("..dynamics.reduced.laws", __package__)
spatial = late("scipy.spatial")

# Entries of a run's header that a resumed run goes on with.
ENTRIES = "squeezed", "mesh_error", "left_out", "jumped"


class SoftWatches:
    """All of them, for a run with a header."""

    def __init__(self, header, time_step):
        self.squeezed, self.mesh = SqueezedWatch(header["squeezed"]), MeshWatch(header["mesh_error"])
        self.dents = DentWatch(header["left_out"], time_step)

    def look_at_frame(self, model, state):
        """Look at a State that is shown."""
        self.mesh.look(model, state)
        self.dents.look(model, state)

    def judge(self, model):
        """Say what was found, when the run is over."""
        self.mesh.judge(model)
        self.dents.judge(model)


class DentWatch:
    """Keeps of each body in shape vectors the normal forces of contacts on its nodes where the largest of them is,
    among the states it is shown; `found`: {body: {"vectors": how many, "patch_error", "dent" [m], "time" [s], "force"
    [N], and of linear modes "turned" [rad], "strained": by how much parts are at most in the body's own frame, "spun":
    how fast it turns at most, in parts of its lowest frequency}}. The dent is that under these forces as far as neither
    vectors nor dents of the body show it."""

    def __init__(self, found, time_step):
        self.found, self.forces, self.h = found, {}, time_step

    def look(self, model, state):
        """Keep the forces on bodies that are pressed harder than before."""
        contacts = state.contacts
        for number in _reduced(model) if state.nodes is not None else ():
            known, body = self._known(model, number), model.elastic[number]
            x, v = (column[model.span(number)] for column in (state.nodes.position, state.nodes.velocity))
            motion = body.reduced.motion(x, v)
            if isinstance(body.reduced.law, laws.LinearLaw):
                for name, value in _beyond_linear(body, motion).items():
                    known[name] = max(known.get(name, 0.0), value)
            sign = (contacts.body_b == number) * 1.0 - (contacts.body_a == number)
            own = np.flatnonzero(sign * state.impulses[:, 0])
            if body.reduced.dents is not None or len(own) == 0:
                continue
            forces = np.zeros_like(body.rest)
            # On the node of the surface that is nearest to the contact.
            at = body.surface_nodes[spatial.cKDTree(x[body.surface_nodes]).query(contacts.position[own])[1]]
            pressed = (sign[own] * state.impulses[own, 0] / self.h)[:, None] * contacts.normal[own]
            np.add.at(forces, at, pressed @ motion.turn)
            most = float(np.linalg.norm(forces, axis=1).max())
            if most > known["force"]:
                known.update(force=most, time=float(state.time))
                self.forces[number] = forces

    def _known(self, model, number):
        new = {"vectors": len(model.elastic[number].reduced.damping), "patch_error": 0.0, "dent": 0.0, "time": 0.0,
               "force": 0.0}  # fmt: skip
        return self.found.setdefault(model.names[number], new)

    def judge(self, model):
        """Work out patch errors and dents."""
        for number in _reduced(model):
            body, known = model.elastic[number], self._known(model, number)
            free, squares = basis.FreeBody(body), body.reduced.squares
            U = body.reduced.U.reshape(3 * len(body.rest), -1)
            known["patch_error"] = patch_error(free, squares, U)
            if number in self.forces:
                known["dent"] = left_out(free, squares, U, self.forces[number])


def _reduced(model):
    """Numbers of the bodies in shape vectors."""
    return [k for k, body in enumerate(model.elastic) if body is not None and body.reduced is not None]


def _beyond_linear(body, motion):
    """By how much a body's parts are turned [rad] and strained at most in its own frame in a Motion, and how fast it
    turns, in parts of its lowest frequency."""
    shape = body.reduced
    G = laws.gradients(body, shape.U @ motion.q)
    axial = 0.5 * np.linalg.norm(G[:, (2, 0, 1), (1, 2, 0)] - G[:, (1, 2, 0), (2, 0, 1)], axis=1)
    strain = np.abs(np.linalg.eigvalsh(0.5 * (G + G.transpose(0, 2, 1))))
    spin = np.linalg.norm(shape.twist(motion)[3:6]) / np.sqrt(shape.squares.min())
    return {"turned": float(axial.max()), "strained": float(strain.max()), "spun": float(spin)}


def patch_error(free, squares, U):
    """The largest part of its way that a loaded patch of the surface of a FreeBody lacks in shape vectors U (3n,r):
    1 - f.x_r / f.x, at rest."""

    def make():
        loads = np.concatenate([basis.patch_loads(free, nodes) for nodes in basis.surface_patches(free)], axis=1)
        whole = np.einsum("ik,ik->k", loads, free.statics(loads))
        return {"lack": np.max(1.0 - ((U.T @ loads) ** 2 / squares[:, None]).sum(axis=0) / whole)}

    given = source_hash(__file__), free.body.rest, free.M, free.blocks, U
    return float(kept.found("patch_errors", given, make)["lack"])


def left_out(free, squares, U, forces):
    """How far [m] a node of a FreeBody goes at most under forces (n,3) beyond what vectors U (3n,r) show."""
    load = forces.reshape(-1, 1)
    rest = free.statics(load) - U @ ((U.T @ load) / squares[:, None])
    return float(np.linalg.norm(rest.reshape(-1, 3), axis=1).max())
