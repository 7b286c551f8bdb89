"""Active bodies whose mesh encloses nothing, as Suzanne's does: it has holes at the eyes."""

from .base import REFUSED, Check, Finding, counted


def find(scan):
    """Yield a Finding for every Active body whose own triangles are wanted and are no solid."""
    # On first use, or Blender would load scipy at its start.
    from ...solver.shapes import SHAPES

    for ob, look in scan.objects():
        if not look.dynamic or look.geometry is None or ob.stiction.shape not in ("AUTO", "MESH") or look.shear:
            continue
        mesh = SHAPES["mesh"](look.geometry.vertices, look.geometry.triangles)
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
