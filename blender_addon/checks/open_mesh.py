"""Active bodies whose mesh encloses nothing: solids with holes, as Suzanne's eyes, and sheets without thickness."""

import numpy as np

from ...solver.base.wording import counted
from ..base.geometry import is_flat
from ..exporting.shape_choice import BRANCHES, OF_VERTICES
from ..settings.motion import is_deformable
from .base import REFUSED, Check, Finding

# Shapes that take a mesh as it is.
MESHES = ("AUTO", "MESH")
# Shapes that make something of a mesh that must enclose a volume.
OF_SOLIDS = (*MESHES, "BOX", "CAPSULE", "CYLINDER", "CONVEX_HULL", "WINDING", "VOXEL_REMESH", "PROXY")
# The thickness that a sheet is given is no more than this part of its size.
THIN = 0.02


def find(scan):
    """Yield a Finding for every Active body whose own triangles are wanted and are a solid with holes."""
    for ob, subject in _candidates(scan, MESHES):
        mesh = _mesh(subject)
        yield None
        if mesh.given.report.defects() and not _sheet(mesh):
            yield Finding((ob.name,), f"mesh is no solid: {' and '.join(mesh.given.report.defects())}", REFUSED)


def find_hollow(scan):
    """Yield a Finding for every deformable body whose own triangles are to be filled and enclose no volume."""
    for ob, subject in _candidates(scan, (*MESHES, *OF_VERTICES), bends=True):
        mesh = _mesh(subject)
        yield None
        if mesh.given.report.defects() and not _sheet(mesh):
            yield Finding((ob.name,), f"cannot be filled: {' and '.join(mesh.given.report.defects())}", REFUSED)


def find_sheets(scan):
    """Yield a Finding for every Active body that is a sheet or an open shell, where its shape gives it no thickness."""
    for ob, subject in _candidates(scan, (*OF_SOLIDS, *OF_VERTICES), bends=True):
        mesh = _mesh(subject)
        yield None
        if _sheet(mesh):
            yield Finding((ob.name,), "is a sheet without thickness, which cannot be filled", REFUSED)
    for ob, subject in _candidates(scan, OF_SOLIDS):
        shape = subject.body.shape if subject.body is not None else None
        if shape is not None and shape.type != "mesh":
            # It was taken, as its bounds or its hull.
            continue
        mesh = _mesh(subject)
        yield None
        if lies_flat(ob, subject) or (ob.stiction.shape in (*MESHES, "WINDING") and _sheet(mesh)):
            yield Finding((ob.name,), "is a sheet without thickness, which has no mass", REFUSED)


def lies_flat(ob, subject):
    """True for a body of a flat mesh whose shape would have to enclose a volume."""
    return subject.geometry is not None and ob.stiction.shape in OF_SOLIDS and is_flat(subject.geometry)


def _candidates(scan, shapes, bends=False):
    """(object, subject) of the rigid, or the deformable, Active bodies with one of these shapes, whose mesh could be
    read."""
    for ob, subject in scan.with_parts():
        known = subject.dynamic and subject.geometry is not None and not subject.shear
        if known and ob.stiction.shape in shapes and is_deformable(ob.stiction) == bends:
            yield ob, subject


def _mesh(subject):
    # On first use, or Blender would load scipy at its start.
    from ...solver.shapes import SHAPES

    return SHAPES["mesh"](subject.geometry.vertices, subject.geometry.triangles)


def _sheet(mesh):
    from ...solver.meshes.solidify import is_sheet

    return is_sheet(mesh.given)


def use_hull(_scene, objects, _scan):
    """Give the objects the shape Convex Hull."""
    for ob in objects:
        ob.stiction.shape = "CONVEX_HULL"
    return f"{counted(len(objects), 'object')} now of the shape Convex Hull"


def use_winding(_scene, objects, _scan):
    """Give the objects the shape Close by Winding."""
    for ob in objects:
        ob.stiction.shape = "WINDING"
    return f"{counted(len(objects), 'object')} now of the shape Close by Winding"


def give_thickness(ob, geometry, scale):
    """Give an object the shape Solidify, with a thickness [Blender units] that suits its mesh and its scale."""
    size = float((np.ptp(geometry.vertices, axis=0) * np.abs(scale)).max())
    ob.stiction.shape = "SOLIDIFY"
    ob.stiction.thickness = min(ob.stiction.thickness, THIN * size)
    return ob.stiction.thickness


def use_solidify(_scene, objects, scan):
    """Give the objects the shape Solidify: as thick as is set, and 2 % of their size at most."""
    found = {subject.name: subject for _, subject in scan.with_parts()}
    for ob in objects:
        give_thickness(ob, found[ob.name].geometry, ob.matrix_world.to_scale())
    return f"{counted(len(objects), 'object')} now of the shape Solidify"


def find_branching(scan):
    """Yield a Finding for every deformable sheet that no thickness can be given as one body."""
    for ob, subject in scan.objects():
        if BRANCHES in subject.refusal:
            yield Finding((ob.name,), subject.refusal.partition(": ")[2].partition(";")[0], REFUSED)


def make_rigid(_scene, objects, _scan):
    """Make the objects rigid, as thick as they are."""
    for ob in objects:
        ob.stiction.elastic.use = ob.stiction.kinematic = False
    return f"{counted(len(objects), 'object')} now rigid"


CHECK = Check("open_mesh", "Open mesh", find, "Use Convex Hull", use_hull)
FILLED = Check("open_deformable", "Open deformable mesh", find_hollow, "Close by Winding", use_winding)
SHEETS = Check("sheet", "Sheet", find_sheets, "Use Solidify", use_solidify)
BRANCHING = Check("branching", "Branching sheet", find_branching, "Make Rigid", make_rigid)
