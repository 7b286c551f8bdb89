"""The process that fTetWild runs in: its compiled module is loaded by path, a surface comes in, tetrahedra go out."""

import importlib.machinery
import importlib.util
import os
from pathlib import Path

import numpy as np

# Its own limits: quality at which it stops, and rounds at most.
STOP_ENERGY, ROUNDS = 10.0, 80


def main(module, source, target, size, envelope):
    """Fill the surface in the file `source` (vertices, triangles) into `target` (vertices, tets); returns 0.

    module: path of pytetwild's compiled module; size [m]: length of edges; envelope: in parts of the diagonal.
    """
    tetrahedralise = _load(Path(module)).tetrahedralize_mesh
    with np.load(source) as data:
        vertices, triangles = data["vertices"], data["triangles"]
    none = np.empty((0, 3)), np.empty((0, 4), np.int32), np.empty(0)
    optimise, keep_all, coarsen, threads, level, quiet, vtk, unfiltered = True, False, False, 1, 6, True, False, False
    diagonal = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    points, tets = tetrahedralise(vertices, triangles, optimise, keep_all, float(size) / diagonal, 0.0,
                                  float(envelope), STOP_ENERGY, coarsen, threads, ROUNDS, level, quiet, vtk,
                                  unfiltered, *none)  # fmt: skip
    np.savez(target, vertices=points, tets=tets)
    return 0


def _load(path):
    """The compiled module at a path, with the libraries that lie beside its package."""
    libraries = path.parent.with_name(path.parent.name + ".libs")
    if os.name == "nt" and libraries.is_dir():
        os.add_dll_directory(str(libraries))
    name = path.name.split(".")[0]
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
