"""Active bodies whose mesh encloses nothing, as Suzanne's does: it has holes at the eyes."""

from .base import REFUSED, Check, Finding, counted

# Shapes that take a mesh as it is.
MESHES = ("AUTO", "MESH")


def find(scan):
    """Yield a Finding for every Active body whose own triangles are wanted and are no solid."""
    # On first use, or Blender would load scipy at its start.
    from ...solver.shapes import SHAPES

    for ob, subject in scan.objects():
        if not subject.dynamic or subject.geometry is None or subject.shear or ob.stiction.shape not in MESHES:
            continue
        mesh = SHAPES["mesh"](subject.geometry.vertices, subject.geometry.triangles)
        defects = mesh.given.report.defects()
        yield None
        if defects:
            yield Finding((ob.name,), f"mesh is no solid: {' and '.join(defects)}", REFUSED)


def use_hull(_scene, objects, _scan):
    """Give the objects the shape Convex Hull."""
    for ob in objects:
        ob.stiction.shape = "CONVEX_HULL"
    return f"{counted(len(objects), 'object')} now of the shape Convex Hull"


CHECK = Check("open_mesh", "Open mesh", find, "Use Convex Hull", use_hull)
