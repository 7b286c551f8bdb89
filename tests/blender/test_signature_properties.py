"""Every property of a body and of the scene: changing it changes the fingerprint where it changes what is exported, and
only there."""

import bpy
import pytest

from stiction.blender_addon.baking.signature import RESULTS, signature
from stiction.blender_addon.exporting.export import export_scene
from stiction.solver.base.refusal import SceneError
from stiction.solver.scene_io.scene_file import scene_digest

# What each body is, so that every setting counts on one of them.
KINDS = {
    "active": {"type": "ACTIVE"},
    "weighed": {"type": "ACTIVE", "use_mass": True, "use_inertia": True, "use_friction_t": True, "use_damping": True},
    "passive": {"type": "PASSIVE"},
    "animated": {"type": "ACTIVE", "kinematic": True},
    "released": {"type": "ACTIVE", "kinematic": True, "release": True, "use_mass": True},
    "voxels": {"type": "ACTIVE", "shape": "VOXEL_REMESH"},
    "sheet": {"type": "PASSIVE", "shape": "SOLIDIFY"},
    "proxy": {"type": "PASSIVE", "shape": "PROXY"},
}
# Noticed though this cube is exported the same: Automatic finds the box that may be chosen as well, and the name of a
# material counts for the table of pairs, which is empty here.
NOTICED = {"shape", "material"}


def exported(scene):
    try:
        export = export_scene(scene)
        return scene_digest(export.scene), export.frame_count
    except SceneError as refused:
        return str(refused)


def other_value(group, entry):
    """A value that the property has not; None where there is none to give."""
    name, now = entry.identifier, getattr(group, entry.identifier)
    if entry.type == "BOOLEAN":
        return [not now[0], *now[1:]] if entry.is_array else not now
    if entry.type in ("INT", "FLOAT"):
        return [now[0] + 0.5, *now[1:]] if entry.is_array else type(now)(now + (0.125 if entry.type == "FLOAT" else 3))
    if entry.type == "ENUM":
        return next((item.identifier for item in entry.enum_items if item.identifier != now), None)
    if entry.type == "STRING":
        return now + "x"
    return None if name else None


def properties(group):
    return [entry for entry in group.bl_rna.properties
            if entry.identifier not in {"rna_type", "name", *RESULTS} and not entry.is_readonly]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_property_of_a_body(scene, add, kind):
    ob, _ = add("body", location=(0, 0, 1)), add("other", location=(5, 0, 1))
    for frame, x in ((1, 0.0), (20, 1.0)):
        ob.location.x = x
        ob.keyframe_insert("location", frame=frame)
    for name, value in KINDS[kind].items():
        setattr(ob.stiction, name, value)
    scene.frame_end = 4
    scene.frame_set(1)
    before, was, seen = signature(scene), exported(scene), set()
    for entry in properties(ob.stiction):
        value, old = other_value(ob.stiction, entry), getattr(ob.stiction, entry.identifier)
        if value is None:
            continue
        old = tuple(old) if getattr(entry, "is_array", False) else old
        setattr(ob.stiction, entry.identifier, value)
        bpy.context.view_layer.update()
        counts, flips = exported(scene) != was, signature(scene) != before
        seen.add(entry.identifier)
        alike = counts == flips or flips and entry.identifier in NOTICED
        assert alike, f"{entry.identifier}: exported {counts}, noticed {flips}"
        setattr(ob.stiction, entry.identifier, old)
        bpy.context.view_layer.update()
        assert signature(scene) == before, entry.identifier
    assert len(seen) > 25


def test_every_property_of_the_scene(scene, add):
    add("body", location=(0, 0, 1))
    scene.frame_end = 4
    before = signature(scene)
    own = scene.stiction
    for group, chosen in ((own, True), (own.simulation, True), (own.options_pgs, False)):
        for entry in properties(group):
            value, old = other_value(group, entry), getattr(group, entry.identifier)
            if value is None:
                continue
            setattr(group, entry.identifier, value)
            # A method that is not chosen, and a range of its own that is not in use, count for nothing.
            idle = not chosen or entry.identifier in ("frame_start", "frame_end")
            flipped = signature(scene) != before
            limited = getattr(group, entry.identifier) == old
            assert flipped != (idle or limited), entry.identifier
            setattr(group, entry.identifier, old)
            assert signature(scene) == before, entry.identifier
