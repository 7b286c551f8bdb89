"""A surface filled with tetrahedra in its own process, to be looked at, and the error of that mesh. Exit code 0: done;
2: refused, the reason on stderr."""

import sys

import numpy as np


def main(source, target):
    """source: .npz with vertices (V,3) [m], triangles (T,3) or tetrahedra (T,4), size [m] (0: the default) and mesher,
    and what the mesh is judged by: pins (P,3) [m], gravity (3,) [m/s^2], poisson and element; target: .npz with
    vertices, tets and the sentence `says` about them."""
    from ...solver.base.refusal import SceneError
    from ...solver.meshes.lattice_fill import as_given
    from ...solver.meshes.meshers import MESHERS

    with np.load(source) as data:
        vertices, triangles = data["vertices"], data["triangles"]
        size, mesher = float(data["size"]), str(data["mesher"])
        judged_by = {name: data[name] for name in ("pins", "gravity", "poisson", "element")}
    try:
        if triangles.shape[1] == 4:
            filling = as_given(vertices, triangles)
        else:
            filling = MESHERS[mesher].fill(vertices, triangles, size or None, None)
        says = "; ".join(filter(None, (filling.says(), _error(filling, **judged_by))))
        np.savez(target, vertices=filling.vertices, tets=filling.tets, says=says)
    except (SceneError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _error(filling, pins, gravity, poisson, element):
    """The sentence on how much too stiff the mesh of a Filling is, "" where nothing is to be said."""
    from ...solver.dynamics.elastic.build import build_deformable
    from ...solver.dynamics.elastic.checks.mesh_error import mesh_error, own_load
    from ...solver.results.mesh_notes import mesh_sentence
    from ...solver.scene import Body, Elastic
    from ...solver.shapes import Tetrahedra

    elastic = Elastic(poisson=float(poisson), element=str(element), pin_points=tuple(map(tuple, pins.tolist())))
    shape = Tetrahedra(filling.vertices, filling.tets)
    body = build_deformable(Body("body", shape, elastic=elastic), 1000.0, np.zeros(3), np.eye(3))
    elements = "set Elements to Accurate"
    where = "under its own weight" if body.pinned.any() and np.any(gravity) else "in bending"
    return mesh_sentence(mesh_error(body, own_load(body, gravity)), body.elements.shape[1], where, elements)
