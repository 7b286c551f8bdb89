"""A surface filled with tetrahedra in its own process, to be looked at. Exit code 0: done; 2: refused, the reason on
stderr."""

import sys

import numpy as np


def main(source, target):
    """source: .npz with vertices (V,3) [m], triangles (T,3), size [m] (0: the default) and mesher; target: .npz with
    vertices, tets and the sentence `says` about them."""
    from ...solver.base.refusal import SceneError
    from ...solver.meshes.meshers import MESHERS

    with np.load(source) as data:
        vertices, triangles = data["vertices"], data["triangles"]
        size, mesher = float(data["size"]), str(data["mesher"])
    try:
        filling = MESHERS[mesher].fill(vertices, triangles, size or None, None)
        np.savez(target, vertices=filling.vertices, tets=filling.tets, says=filling.says())
    except (SceneError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0
