"""Tetrahedra by fTetWild (Hu et al. 2020), through the compiled module of the package pytetwild, which is optional.

It runs in a process of its own: it holds the interpreter's lock for seconds to minutes, and some surfaces take it for
ever. It gives other tetrahedra at every run, so what it made is kept, and used again while surface and size are the
same. Where it is missing or fails, the lattice fills the surface, and the sentence of the Filling says so.
"""

import importlib.util
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from ..base import kept
from ..base.processes import command_of, no_console
from .lattice_fill import Filling, least_dihedral, usual_size
from .lattice_fill import fill as fill_by_lattice
from .solid_field import SolidField
from .tet_grids import tet_volumes

# How far its surface may lie from the one given, in parts of the diagonal: tried one after the other, as a wall thinner
# than four times that is lost, which the volume tells.
ENVELOPES = (2e-3, 5e-4)
# Part of the volume that may be missed before the next envelope is tried, and at the last one.
GOOD, MOST_ERROR = 0.03, 0.1
# Wall time after which the lattice is taken [s].
LONGEST = 180.0
# In the names of kept results: another number where the same input would give something else.
FORMAT = 1


class FailedError(RuntimeError):
    """fTetWild gave no tetrahedra; says why."""


def compiled_module():
    """Path of pytetwild's compiled module, None where the package is not installed.

    The package itself is not imported: it wants pyvista, which only draws.
    """
    spec = importlib.util.find_spec("pytetwild")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for pattern in ("PyfTetWildWrapper*.so", "PyfTetWildWrapper*.pyd"):
            for path in sorted(Path(folder).glob(pattern)):
                return path
    return None


def fill(vertices, triangles, size=None, volume=None):
    """Return the Filling of a surface, vertices (V,3) [m] and triangles (T,3), with edges of about `size` [m].

    volume [m^3]: of the surface where it is known; else it is sampled. Raises SceneError where not even the lattice
    fits inside.
    """
    vertices, triangles = np.asarray(vertices, dtype=float), np.asarray(triangles, dtype=np.int64)
    if size is None:
        known = SolidField(vertices, triangles).volume if volume is None else volume
        size = usual_size(known, float(np.ptp(vertices, axis=0).max()))
    size = float(size)
    path = kept.place("tetrahedra", FORMAT, vertices, triangles, size)
    found = _read(path)
    if found is None:
        try:
            found = _made(vertices, triangles, size, volume)
        except FailedError as error:
            filling = fill_by_lattice(vertices, triangles, size, volume)
            return filling._replace(note=f"{error}; the lattice took its place: ", in_place=True)
        numbers = np.array([found.volume, found.error, found.dihedral])
        kept.keep(path, vertices=found.vertices, tets=found.tets, numbers=numbers)
    return found


def _made(vertices, triangles, size, volume):
    """The Filling by fTetWild; FailedError."""
    module = compiled_module()
    if module is None:
        raise FailedError("fTetWild is not installed (pip install pytetwild)")
    volume = SolidField(vertices, triangles).volume if volume is None else volume
    for envelope in ENVELOPES:
        points, tets = _run(module, vertices, triangles, size, envelope)
        each = tet_volumes(points, tets)
        tets[each < 0] = tets[each < 0][:, [0, 2, 1, 3]]
        error = float(np.abs(each).sum()) / volume - 1.0
        if abs(error) <= GOOD:
            break
    if abs(error) > MOST_ERROR:
        raise FailedError(f"fTetWild missed the volume by {100 * error:+.0f} %")
    return Filling(points, tets, float(volume), error, least_dihedral(points, tets), note="fTetWild: ")


def _run(module, vertices, triangles, size, envelope):
    """Vertices and tets of one run of fTetWild in a process that ends with this one; FailedError."""
    with tempfile.TemporaryDirectory(prefix="stiction-") as folder:
        source, target = Path(folder, "surface.npz"), Path(folder, "tets.npz")
        np.savez(source, vertices=vertices, triangles=triangles.astype(np.uint32))
        command = command_of("solver.base.processes", "solver.meshes.ftetwild_worker", module, source, target, size,
                             envelope)  # fmt: skip
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, stdin=subprocess.PIPE, cwd=folder, **quiet, **no_console())
        try:
            code = process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            raise FailedError(f"fTetWild found no end in {LONGEST:g} s") from None
        finally:
            process.kill()
            process.wait()
            process.stdin.close()
        if code != 0 or not target.is_file():
            raise FailedError(f"fTetWild ended with code {code}")
        with np.load(target) as data:
            points, tets = data["vertices"], data["tets"].astype(np.int64)
    if len(tets) == 0:
        raise FailedError("fTetWild found no inside")
    used, number = np.unique(tets, return_inverse=True)
    return points[used], number.reshape(-1, 4)


def _read(path):
    """The Filling kept at a path, None without one."""
    found = kept.read(path)
    return found and Filling(found["vertices"], found["tets"], *found["numbers"].tolist(),
                             note="fTetWild, kept from before: ")  # fmt: skip
