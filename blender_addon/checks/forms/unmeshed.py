"""Bodies that have a surface and no mesh: text, curves, surfaces, metaballs."""

import bpy

from ....solver.base.wording import counted
from ...deformable.soft_body import kept_settings, take_over_converted
from ..base import REFUSED, Check, Finding

# Types of objects that Blender makes meshes of.
SURFACES = ("CURVE", "FONT", "SURFACE", "META")


def find(scan):
    """Yield a Finding for every such body."""
    for ob, _ in scan.objects():
        if ob.type in SURFACES:
            yield Finding((ob.name,), f"is of type {ob.type.title()}, not a mesh", REFUSED)


def convert(scene, objects, _scan):
    """Make meshes of them, as they look now; Soft Body that was imported goes on with the mesh."""
    names = [ob.name for ob in objects]
    for ob in filter(None, map(scene.objects.get, names)):
        soft, kind, was = kept_settings(ob), ob.stiction.type, ob.type
        before = set(scene.objects)
        chosen = {"selected_objects": [ob], "selected_editable_objects": [ob]}
        with bpy.context.temp_override(active_object=ob, object=ob, **chosen):
            bpy.ops.object.convert(target="MESH")
        # A family of metaballs is one mesh, which is another object; the family is gone.
        made = ob if was != "META" else next(iter(set(scene.objects) - before))
        made.stiction.type = kind
        if soft is not None:
            take_over_converted(scene, made, soft)
    return f"{counted(len(names), 'object')} converted to meshes"


CHECK = Check("unmeshed", "Not a mesh", find, "Convert to Mesh", convert)
