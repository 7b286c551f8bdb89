"""Scenes in which one check finds something on the object "body": SCENES, by the key of the check."""

from pathlib import Path

import bpy
from conftest import CUBE, CUBE_FACES
from deforming_bodies import dropped_in_modes, limp, posed, sculpted, stretched, with_instances
from keyed_bodies import constrained, slower_by_keys, thrown_by_own_keys

# A cube with a small hole in its lid, and one without its lid.
HOLED = CUBE + [(x, y, 0.5) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
LIDLESS_FACES = [face for face in CUBE_FACES if face != (1, 5, 7, 3)]
HOLED_FACES = [*LIDLESS_FACES, (1, 5, 10, 8), (5, 7, 11, 10), (7, 3, 9, 11), (3, 1, 8, 9)]


def open_cube(scene, add):
    add("body", HOLED, HOLED_FACES)


def open_jelly(scene, add):
    add("body", HOLED, HOLED_FACES).stiction.elastic.use = True


def sheet(scene, add):
    add("body", [(x, y, 0.1 * x * x) for x in (-1, 0, 1) for y in (-1, 1)], [(0, 1, 3, 2), (2, 3, 5, 4)])


def sheared(scene, add):
    parent = bpy.data.objects.new("squash", None)
    scene.collection.objects.link(parent)
    parent.scale = (1, 3, 0.5)
    add("body", parent=parent, rotation_euler=(0.5, 0.4, 0.3))


def hidden(scene, add):
    add("body").hide_viewport = True
    add("other", location=(3, 0, 0))


def without_faces(scene, add):
    add("body", faces=[])
    add("other", location=(3, 0, 0))


def overlapping(scene, add):
    add("body", location=(0, 0, 0.9))
    add("other", kind="PASSIVE")


def crossing(scene, add):
    shifted = [(x + 0.4, y + 0.3, z + 0.2) for x, y, z in CUBE]
    add("body", vertices=CUBE + shifted, faces=CUBE_FACES + [tuple(8 + i for i in face) for face in CUBE_FACES])


def growing(scene, add):
    ob = add("body")
    for frame, size in ((1, 1.0), (20, 3.0)):
        ob.scale.x = size
        ob.keyframe_insert("scale", frame=frame)


def keyed_passive(scene, add):
    add("other", location=(0, 0, 5))
    body = add("body", kind="PASSIVE")
    body.keyframe_insert("location", frame=1)
    body.location.x = 3
    body.keyframe_insert("location", frame=10)


def alone_on_its_layer(scene, add):
    body = add("body")
    body.stiction.layers = [False, True] + [False] * 18
    body.stiction.collides_with = [False, True] + [False] * 18
    add("other", kind="PASSIVE", location=(0, 0, -3))


def heavy(scene, add):
    body = add("body")
    body.stiction.use_mass, body.stiction.mass = True, 1e6


def card(scene, add):
    add("body", scale=(1, 1, 0.002), location=(0, 0, 20))
    add("other", kind="PASSIVE", location=(0, 0, -3))


def joint_of_nothing(scene, add):
    add("other")
    joint = bpy.data.objects.new("body", None)
    scene.collection.objects.link(joint)
    joint.stiction_joint.type = "HINGE"


def ground_that_falls(scene, add):
    """As when everything was selected and Add Active pressed."""
    add("body", scale=(10, 10, 1), location=(0, 0, -0.5))
    add("other", location=(0, 0, 0.5))


def windy(scene, add):
    add("other")
    wind = bpy.data.objects.new("body", None)
    scene.collection.objects.link(wind)
    bpy.context.view_layer.objects.active = wind
    wind.select_set(True)
    bpy.ops.object.forcefield_toggle()


def instanced(scene, add):
    """A prop that is active in its own collection, and seen through an instance alone."""
    add("other", location=(5, 0, 0))
    inner = add("prop")
    scene.collection.objects.unlink(inner)
    collection = bpy.data.collections.new("props")
    collection.objects.link(inner)
    body = bpy.data.objects.new("body", None)
    body.instance_type, body.instance_collection = "COLLECTION", collection
    body.location = (0, 0, 4)
    scene.collection.objects.link(body)


def overridden(scene, add):
    """A body of another file, as a library override."""
    add("body", location=(0, 0, 4))
    path = Path(bpy.app.tempdir) / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    bpy.data.objects.remove(scene.objects["body"])
    with bpy.data.libraries.load(str(path), link=True) as (_, target):
        target.objects = ["body"]
    scene.collection.objects.link(target.objects[0])
    target.objects[0].override_create(remap_local_usages=True)


def bumper(_scene, add):
    add("body", kind="PASSIVE", location=(2, 0, 0), parent=add("other", location=(0, 0, 4)))


def weighted(_scene, add):
    ob = add("body", [(x, y, z + 0.3) for x, y, z in CUBE], CUBE_FACES)
    with bpy.context.temp_override(object=ob, active_object=ob, selected_objects=[ob]):
        bpy.ops.rigidbody.object_add(type="ACTIVE")
    bpy.context.scene.rigidbody_world.enabled = False


def leaves(_scene, add):
    ends = [(x, y, z) for x, z in ((1, 0), (-1, 1), (-1, -1)) for y in (-1, 1)]
    ob = add("body", [(0, -1, 0), (0, 1, 0), *ends], [(0, 2, 3, 1), (0, 4, 5, 1), (0, 6, 7, 1)])
    ob.stiction.shape, ob.stiction.elastic.use = "SOLIDIFY", True


SCENES = {
    "unmeshed": lambda *_: (bpy.ops.object.text_add(), setattr(bpy.context.object, "name", "body"),
                            setattr(bpy.context.object.stiction, "type", "ACTIVE")),
    "carried": bumper, "branching": leaves, "off_center": weighted,
    "rounded": lambda _, add: setattr(add("body", scale=(1, 0.4, 1)).stiction, "shape", "SPHERE"),
    "falling_ground": ground_that_falls, "open_mesh": open_cube, "sheet": sheet, "shear": sheared, "hidden": hidden,
    "constrained": constrained, "refused": without_faces, "overlapping": overlapping, "self_crossing": crossing,
    "unanimated": keyed_passive, "layers": alone_on_its_layer, "mass": heavy, "weak": limp,
    "scale": lambda _scene, add: add("body", scale=(5000, 5000, 5000)),
    "struck": dropped_in_modes, "thin": card, "joints": joint_of_nothing, "keyed_scale": growing,
    "keyed_settings": slower_by_keys, "keyed_animated": thrown_by_own_keys, "force_fields": windy,
    "instanced": instanced, "unrealized": with_instances, "stretched": stretched, "linked": overridden,
    "deforming": sculpted, "posed": posed, "open_deformable": open_jelly,
    "hollow": lambda scene, add: (add("body", kind="PASSIVE", scale=(6, 6, 6)), add("other", location=(0, 1, 0))),
}  # fmt: skip
