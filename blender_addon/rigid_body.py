"""Settings of Blender's own Rigid Body physics -> ours."""

# Blender's cone has no shape of its own here; its hull is the same body.
SHAPES = {
    "BOX": "BOX", "SPHERE": "SPHERE", "CAPSULE": "CAPSULE", "CYLINDER": "CYLINDER", "CONE": "CONVEX_HULL",
    "CONVEX_HULL": "CONVEX_HULL", "MESH": "MESH", "COMPOUND": "COMPOUND",
}  # fmt: skip


def take_over(scene):
    """Copy the Rigid Body settings of every object of the scene and disable that simulation.

    Returns the number of objects and sentences about what has no counterpart. The combine rule becomes the
    product, which is what Blender's simulation uses.
    """
    objects = [ob for ob in scene.objects if ob.rigid_body]
    notes = [note for ob in objects for note in _copy(ob)]
    if objects:
        scene.stiction.combine = "product"
    if scene.rigidbody_world:
        scene.stiction.steps_per_frame = max(1, scene.rigidbody_world.substeps_per_frame)
        scene.rigidbody_world.enabled = False
    count = sum(1 for ob in scene.objects if ob.rigid_body_constraint)
    if count:
        notes.append(f"{count} Rigid Body constraint{'s' if count > 1 else ''} left out: there are no joints yet")
    return len(objects), notes


def _copy(ob):
    """Set ob.stiction from ob.rigid_body; returns notes."""
    source, target, notes = ob.rigid_body, ob.stiction, []
    target.type = "ACTIVE" if source.type == "ACTIVE" and source.enabled else "PASSIVE"
    target.kinematic = source.kinematic
    target.shape = SHAPES[source.collision_shape]
    target.use_mass, target.mass = True, source.mass
    target.friction = source.friction
    # There the two bodies share a layer or they do not: what a body is on is what it collides with.
    target.layers = target.collides_with = source.collision_collections
    target.restitution = min(source.restitution, 1.0)
    if source.restitution > 1:
        notes.append(f"object {ob.name!r}: Bounciness {source.restitution:.3g} gains energy; 1 was taken instead")
    return notes
