"""Import Rigid Body: what is taken, changed and left out of each object, and that it says so."""

import math

import bpy
import pytest
from conftest import CUBE_FACES

from stiction.blender_addon.rigid_body import take_over
from stiction.blender_addon.rigid_body.report import TEXT


@pytest.fixture
def rigid(scene, add):
    """rigid(name, type="ACTIVE", **rigid body settings) -> object with Blender's Rigid Body."""

    def rigid(name, type="ACTIVE", faces=CUBE_FACES, **settings):
        ob = add(name, kind="NONE", faces=faces)
        bpy.context.view_layer.update()
        bpy.context.view_layer.objects.active = ob
        for other in bpy.context.view_layer.objects:
            other.select_set(other == ob)
        bpy.ops.rigidbody.object_add(type=type)
        for key, value in settings.items():
            setattr(ob.rigid_body, key, value)
        return ob

    return rigid


def entry_of(entries, name):
    return next(entry for entry in entries if entry.name == name)


def test_hanging_body_is_released_where_animated_is_keyed_off(scene, rigid, tmp_path):
    ob = rigid("hanging", collision_shape="BOX")
    ob.location.z = 5
    for frame, value in ((1, True), (29, True), (30, False)):
        ob.rigid_body.kinematic = value
        ob.rigid_body.keyframe_insert("kinematic", frame=frame)
    _, entries = take_over(scene)
    assert (ob.stiction.type, ob.stiction.kinematic, ob.stiction.release) == ("ACTIVE", True, True)
    # The frame at which it is keyed off is the first of the free fall, as in Blender.
    assert ob.stiction.release_frame == 29
    assert any("until frame 29" in sentence for sentence in entry_of(entries, "hanging").taken)
    scene.frame_end, scene.stiction.cache = 36, str(tmp_path)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(29)
    assert ob.matrix_world.translation.z == pytest.approx(5)
    scene.frame_set(36)
    # Damping of 0.04 a second takes half a percent off the fall.
    assert ob.matrix_world.translation.z == pytest.approx(5 - 0.5 * 9.81 * (7 / 24) ** 2, abs=0.01)


def test_one_open_mesh_does_not_block_the_others(scene, rigid):
    rigid("closed", collision_shape="MESH")
    hole = rigid("open", collision_shape="MESH")
    bpy.ops.mesh.primitive_monkey_add()
    hole.data = bpy.context.object.data
    lidless = rigid("lidless", faces=CUBE_FACES[:-1], collision_shape="MESH")
    _, entries = take_over(scene)
    assert hole.stiction.shape == "CONVEX_HULL"
    assert lidless.stiction.shape == "SOLIDIFY"
    assert "as the mesh is a sheet" in entry_of(entries, "lidless").changed[0]
    assert scene.objects["closed"].stiction.shape == "MESH"
    assert "no solid" in entry_of(entries, "open").changed[0]
    from stiction.blender_addon.exporting.export import export_scene

    export_scene(scene)


def test_everything_that_is_not_taken_is_said(scene, rigid):
    rigid("plain")
    rigid("other plain")
    odd = rigid("odd", linear_damping=0.5, use_margin=True, collision_margin=0.02, restitution=1.5,
                collision_shape="CONE", use_deactivation=True, use_start_deactivated=True)  # fmt: skip
    off = rigid("off", enabled=False)
    scene.rigidbody_world.time_scale = 0.5
    scene.rigidbody_world.effector_weights.gravity = 0.3
    bpy.ops.object.effector_add(type="WIND")
    _, entries = take_over(scene)
    assert off.stiction.type == "PASSIVE"
    assert odd.stiction.restitution == 1
    said = "\n".join(entry_of(entries, "odd").changed + entry_of(entries, "odd").left_out)
    for words in ("bounciness 1.5", "Cone"):
        assert words in said
    taken = "\n".join(entry_of(entries, "odd").taken)
    for words in ("damping 0.5 and 0.1, as decay rates of its own", "start deactivated"):
        assert words in taken
    world = "\n".join(entry_of(entries, "World").left_out)
    for words in ("(Wind): Blender does not tell"):
        assert words in world
    assert scene.stiction.simulation.linear_damping == pytest.approx(0.0408, abs=1e-4)
    text = bpy.data.texts[TEXT].as_string()
    assert "5 objects" not in text
    assert "odd\n" in text
    assert "left out  deactivation" in text and "margin" not in text, "that of a cone lies inside of it"


@pytest.mark.parametrize(
    ("shape", "use", "gap"),
    [("BOX", True, 0), ("CONVEX_HULL", True, 0.1), ("CONVEX_HULL", False, 0), ("MESH", True, 0.1),
     ("MESH", False, 0.1)],
)  # fmt: skip
def test_a_margin_is_said_where_bullet_keeps_that_distance(scene, rigid, shape, use, gap):
    """The body is dropped in Blender's own simulation: what it hovers by is what the report says."""
    floor = rigid("floor", type="PASSIVE", collision_shape="BOX")
    floor.scale, floor.location.z = (20, 20, 1), -0.5
    body = rigid("body", collision_shape=shape, use_margin=use, collision_margin=0.1)
    body.location.z, scene.frame_end = 0.7, 60
    for frame in range(1, 61):
        scene.frame_set(frame)
    lies = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation.z - 0.5
    assert lies == pytest.approx(gap, abs=0.02)
    scene.frame_set(1)
    _, entries = take_over(scene)
    said = [sentence for sentence in entry_of(entries, "body").changed if "margin" in sentence]
    assert bool(said) == bool(gap)
    assert not gap or f"collision margin {gap:.3g}: it hovered" in said[0]


def test_gravity_weight_is_taken_over_and_simulated(scene, rigid, tmp_path):
    body = rigid("body")
    weights = scene.rigidbody_world.effector_weights
    weights.gravity, weights.all = 0.5, 0.5
    scene.gravity, scene.frame_end, scene.stiction.cache = (0, 0, -8), 25, str(tmp_path)
    _, entries = take_over(scene)
    assert "gravity weight 0.25" in entry_of(entries, "World").taken
    scene.stiction.simulation.linear_damping = scene.stiction.simulation.angular_damping = 0.0
    start = body.location.z
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(25)
    # A second at a quarter of 8 m/s^2.
    assert body.location.z - start == pytest.approx(-1.0, abs=1e-5)


def test_damping_and_start_deactivated_are_simulated(scene, rigid, tmp_path):
    """Bullet leaves (1 - d) of a velocity after a second; what starts deactivated hangs until it is struck."""
    rigid("common")
    rigid("usual").location.x = 3
    slow, hung = rigid("slow", linear_damping=0.6), rigid("hung", use_deactivation=True, use_start_deactivated=True)
    slow.location.x, hung.location.x = 6, 9
    take_over(scene)
    assert slow.stiction.use_damping and not scene.objects["usual"].stiction.use_damping
    assert hung.stiction.asleep and not slow.stiction.asleep
    for ob in (slow, scene.objects["usual"]):
        ob.stiction.velocity = (0, 3.0, 0)
    scene.gravity, scene.frame_end, scene.stiction.cache = (0, 0, -2), 25, str(tmp_path)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(25)
    for ob, damping in ((slow, 0.6), (scene.objects["usual"], 0.04)):
        rate = -math.log(1 - damping)
        assert ob.matrix_world.translation.y == pytest.approx(3.0 * damping / rate, rel=5e-3)
    assert hung.matrix_world.translation.z == 0.0
    assert slow.matrix_world.translation.z < -0.5


def test_damping_of_1_holds_a_body_in_the_air(scene, rigid, tmp_path):
    """Of Bullet's velocity nothing is left after a step: it sinks by what gravity gives in one."""
    rigid("common")
    rigid("usual").location.x = 3
    held = rigid("held", linear_damping=1.0)
    held.location.x, scene.frame_end, scene.stiction.cache = 6, 49, str(tmp_path)
    take_over(scene)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(49)
    fallen = [-ob.matrix_world.translation.z for ob in (held, scene.objects["usual"])]
    # Two seconds, 240 Hz in Blender and 96 here: from one step's speed to that at the end of one of ours.
    assert 2 * 9.81 / 240 < fallen[0] < 1.2 * 2 * 9.81 / 96
    assert fallen[1] > 15


def test_parts_of_a_compound_are_no_bodies_of_their_own(scene, rigid):
    parent = rigid("parent", collision_shape="COMPOUND")
    child = rigid("child", collision_shape="SPHERE")
    child.parent = parent
    take_over(scene)
    assert (parent.stiction.shape, parent.stiction.type) == ("COMPOUND", "ACTIVE")
    assert (child.stiction.shape, child.stiction.type) == ("SPHERE", "NONE")


@pytest.mark.parametrize("type", ["ACTIVE", "PASSIVE"])
def test_a_compound_without_parts_is_its_own_mesh(scene, rigid, type):
    """In Blender all falls through it; a check took it out of the simulation, and what fell was a good result."""
    body = rigid("body", type=type, collision_shape="COMPOUND")
    _, entries = take_over(scene)
    entry = entry_of(entries, "body")
    assert body.stiction.shape == "MESH"
    assert entry.changed == ["shape Compound Parent without parts, through which all falls: Mesh"]


def test_remove_takes_rigid_body_from_the_objects(scene, rigid):
    objects = [rigid("a"), rigid("b", type="PASSIVE")]
    assert bpy.ops.stiction.import_rigid_body(remove=True) == {"FINISHED"}
    assert [ob.rigid_body for ob in objects] == [None, None]
    assert [ob.stiction.type for ob in objects] == ["ACTIVE", "PASSIVE"]


def test_keep_is_the_default(scene, rigid):
    ob = rigid("a")
    bpy.ops.stiction.import_rigid_body()
    assert ob.rigid_body is not None
    assert not scene.rigidbody_world.enabled


def test_constraints_stay_and_none_is_said_to_be_left_out(scene, rigid):
    rigid("a")
    rigid("b")
    bpy.ops.object.empty_add()
    bpy.context.object.name = "hinge"
    bpy.ops.rigidbody.constraint_add(type="HINGE")
    constraint = bpy.context.object.rigid_body_constraint
    constraint.object1, constraint.object2 = scene.objects["a"], scene.objects["b"]
    _, entries = take_over(scene)
    assert "Hinge" in entry_of(entries, "hinge").taken[0]
    assert not any("onstraint" in sentence for entry in entries for sentence in entry.left_out)
    assert bpy.context.scene.objects["hinge"].rigid_body_constraint is not None
    from stiction.blender_addon.exporting.export import export_scene

    assert len(export_scene(scene).scene.joints) == 1


@pytest.mark.parametrize(("given", "taken"), [(1, 1), (4, 4), (10, 4)])
def test_a_frame_has_four_steps_at_most(scene, rigid, given, taken):
    """Bullet needs many; here a step is divided where it must be."""
    rigid("body")
    scene.rigidbody_world.substeps_per_frame = given
    _, entries = take_over(scene)
    assert scene.stiction.steps_per_frame == taken
    world = entry_of(entries, "World")
    said = world.changed if given > taken else world.taken
    assert any(line.startswith(f"{given} steps per frame") for line in said)


@pytest.mark.parametrize(("on", "sleeping"), [((True, True), True), ((True, False), False), ((False, False), False)])
def test_sleeping_is_on_where_all_may_be_deactivated(scene, rigid, on, sleeping):
    for number, value in enumerate(on):
        rigid(f"body {number}", use_deactivation=value)
    rigid("ground", type="PASSIVE", use_deactivation=False)
    _, entries = take_over(scene)
    assert scene.stiction.simulation.sleeping == sleeping
    world = entry_of(entries, "World")
    assert any("Sleeping is on" in line for line in world.taken) == sleeping
    assert any("it is off for 1 of 2 bodies" in line for line in world.left_out) == (on == (True, False))


@pytest.mark.parametrize("settings", ["elastic", "flow"])
def test_what_bends_or_flows_does_not_sleep(scene, rigid, settings):
    rigid("body", use_deactivation=True)
    other = rigid("other", use_deactivation=True)
    if settings == "flow":
        other.stiction_flow.kind = "SINK"
    else:
        other.stiction.elastic.use = True
    _, entries = take_over(scene)
    assert not scene.stiction.simulation.sleeping
    assert any(line.startswith("deactivation, as") for line in entry_of(entries, "World").left_out)


def test_speed_is_taken_over_and_simulated(scene, rigid, tmp_path):
    """At half speed a body falls and a pusher moves as in slow motion; so it does in Blender's own simulation."""
    body, pusher = rigid("body"), rigid("pusher", type="PASSIVE", kinematic=True)
    for frame, x in ((1, 5.0), (25, 6.0)):
        pusher.location.x = x
        pusher.keyframe_insert("location", frame=frame)
    scene.rigidbody_world.time_scale, scene.rigidbody_world.substeps_per_frame = 0.5, 100
    scene.gravity, scene.frame_end, scene.stiction.cache = (0, 0, -8), 25, str(tmp_path)
    body.rigid_body.linear_damping = body.rigid_body.angular_damping = 0.0
    start = body.location.z
    for frame in range(1, 26):
        scene.frame_set(frame)
    in_blender = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation.z - start
    assert in_blender == pytest.approx(-1.0, abs=0.05)
    scene.frame_set(1)
    _, entries = take_over(scene)
    assert "speed 0.5" in entry_of(entries, "World").taken
    from stiction.blender_addon.exporting.export import export_scene

    path = export_scene(scene).scene.bodies[1].keys
    scene.stiction.simulation.linear_damping = scene.stiction.simulation.angular_damping = 0.0
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(25)
    # Half a second at 8 m/s^2.
    assert body.location.z - start == pytest.approx(-1.0, abs=1e-5)
    assert path.times[-1] == pytest.approx(0.5)


def test_a_baked_cache_is_mentioned(scene, rigid):
    rigid("body")
    cache = scene.rigidbody_world.point_cache
    cache.frame_start, cache.frame_end = 1, 8
    world = take_over(scene)[1][0]
    assert not any("baked cache" in line for line in world.left_out)
    with bpy.context.temp_override(scene=scene, point_cache=cache):
        bpy.ops.ptcache.bake(bake=True)
    world = take_over(scene)[1][0]
    assert any("baked cache, frames 1 to 8" in line for line in world.left_out)


def test_a_cache_that_begins_later_holds_the_bodies_until_then(scene, rigid):
    """A title stands for a second before it falls: it fell from the first frame on, called good."""
    body = rigid("body")
    body.location.z = 5.0
    scene.rigidbody_world.point_cache.frame_start, scene.frame_end = 8, 12
    _, entries = take_over(scene)
    assert any("cache begins at frame 8" in line for line in entries[0].taken)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    heights = []
    for frame in (1, 8, 9, 12):
        scene.frame_set(frame)
        heights.append(body.matrix_world.translation.z)
    assert heights[:2] == pytest.approx([5.0, 5.0], abs=1e-6)
    assert heights[1] > heights[2] > heights[3]


@pytest.mark.parametrize("start", [-20, 0, 30])
def test_a_cache_that_begins_earlier_moves_the_bodies_until_then(scene, rigid, start):
    """How a heap is made to lie at the first frame: it hung in the air there, called good."""
    body = rigid("body", linear_damping=0.0)
    body.location.z = 5.0
    scene.frame_start, scene.frame_end = max(1, start + 10), max(1, start + 10) + 5
    scene.rigidbody_world.point_cache.frame_start = start
    _, entries = take_over(scene)
    assert any(f"cache begins at frame {start}" in line for line in entries[0].taken)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(scene.frame_start)
    seconds = (scene.frame_start - start) / 24
    assert body.matrix_world.translation.z == pytest.approx(5.0 - 0.5 * 9.81 * seconds**2, abs=1e-3)


@pytest.mark.parametrize("first", [1, 6])
@pytest.mark.parametrize(("start", "end"), [(1, 12), (1, 250), (40, 250)])
def test_other_caches_leave_the_range_to_the_scene(scene, rigid, first, start, end):
    rigid("body")
    scene.rigidbody_world.point_cache.frame_start, scene.rigidbody_world.point_cache.frame_end = start, end
    scene.frame_start, scene.frame_end = first, 12
    take_over(scene)
    assert scene.stiction.use_scene_range


def test_many_objects_are_taken_over_at_once(scene, rigid):
    """Reading meshes between changes would evaluate the scene anew for each object: 40 s for a thousand."""
    import time

    first = rigid("first")
    for number in range(399):
        copy = bpy.data.objects.new(f"copy {number}", first.data)
        scene.collection.objects.link(copy)
        copy.select_set(True)
    bpy.ops.rigidbody.objects_add(type="ACTIVE")
    start = time.process_time()
    assert take_over(scene)[0] == 400
    assert time.process_time() - start < 2.0


@pytest.mark.parametrize("flipped", [False, True])
def test_a_closed_mesh_is_hollow_where_a_body_begins_inside(scene, rigid, flipped):
    """Blender's triangles have no inside: a room of the shape Mesh holds what is in it; as a solid it let it out."""
    room, ball, beside = rigid("room", type="PASSIVE", collision_shape="MESH"), rigid("ball"), rigid("beside")
    room.scale, beside.location, ball.location = (6, 6, 6), (9, 0, 0), (0, 1, 0)
    if flipped:
        room.data.flip_normals()
    _, entries = take_over(scene)
    assert room.stiction.shape == "SOLIDIFY"
    assert entry_of(entries, "room").changed[-1].endswith("as 'ball' begins inside")
    bpy.ops.stiction.check()
    assert [item.check for item in bpy.context.window_manager.stiction_findings.found] == []


@pytest.mark.parametrize("where", [(9, 0, 0), (0, 0, 3)])
def test_a_closed_mesh_stays_a_solid_where_bodies_are_beside_it_or_in_its_skin(scene, rigid, where):
    room, ball = rigid("room", type="PASSIVE", collision_shape="MESH"), rigid("ball")
    room.scale, ball.location = (6, 6, 6), where
    take_over(scene)
    assert room.stiction.shape == "MESH"


def test_keys_that_are_not_used_are_said(scene, rigid):
    body = rigid("body")
    for owner, name in ((body.rigid_body, "friction"), (scene.rigidbody_world, "time_scale")):
        for frame, value in ((1, 0.5), (9, 0.2)):
            setattr(owner, name, value)
            owner.keyframe_insert(name, frame=frame)
    _, entries = take_over(scene)
    assert entry_of(entries, "body").left_out == ["keys of friction: one value holds throughout"]
    assert "keys of time_scale: one value holds throughout" in entry_of(entries, "World").left_out
