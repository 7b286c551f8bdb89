"""Scenes of bodies with keys on settings of this extension."""


def slower_by_keys(scene, add):
    add("other", location=(0, 0, 5))
    body = add("body")
    for frame, friction in ((1, 0.2), (20, 0.9)):
        body.stiction.friction = friction
        body.stiction.keyframe_insert("friction", frame=frame)


def thrown_by_own_keys(scene, add):
    """A throw as in Blender's Rigid Body, with the keys on the Animated of this extension."""
    add("other", location=(0, 0, 5))
    body = add("body")
    for frame, x in ((9, 0.0), (10, 0.3)):
        body.location.x = x
        body.keyframe_insert("location", frame=frame)
    for frame, animated in ((1, True), (10, True), (11, False)):
        body.stiction.kinematic = animated
        body.stiction.keyframe_insert("kinematic", frame=frame)
    scene.frame_set(1)


def constrained(scene, add):
    """A body with a constraint beside its parent."""
    body = add("body")
    body.constraints.new("LIMIT_LOCATION")
    body.parent = add("parent", kind="NONE", location=(9, 0, 0))
