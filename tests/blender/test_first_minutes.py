"""What a person meets in the first minutes: menus, presets, the status bar, joints, checks, words."""

from types import MethodType, SimpleNamespace

import bpy
import pytest
from panel_layout import Layout, draw_all, panels

from stiction import operators, ui
from stiction.blender_addon.checks import runner
from stiction.blender_addon.deformable import estimate
from stiction.blender_addon.deformable.presets import PRESETS
from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.running import job as jobs
from stiction.solver.meshes.lattice_fill import fill


def select(*objects):
    """Select these alone; the last is the active one."""
    bpy.context.view_layer.update()
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob in objects)
    bpy.context.view_layer.objects.active = objects[-1]


def draw_menu(cls):
    """What a menu draws."""
    menu = SimpleNamespace(layout=Layout(), preset_subdir=cls.preset_subdir, preset_operator=cls.preset_operator)
    menu.path_menu = MethodType(bpy.types.Menu.path_menu, menu)
    cls.draw(menu, bpy.context)
    return menu.layout


def test_the_material_menu_misses_nothing_before_there_is_a_preset(scene, add, monkeypatch):
    monkeypatch.setattr(bpy.utils, "preset_paths", lambda folder: [])
    select(add("a"))
    drawn = draw_menu(ui.material_panel.STICTION_MT_materials)
    assert not [label for label in drawn.labels if "Missing" in label]
    assert drawn.operators.count("stiction.set_material") > 5


def test_values_of_a_preset_stand_alone(scene, add):
    """Blenders up to 4.3 ask for each value where no other line has been run, which Python 3.13 takes literally."""
    ob = add("a")
    select(ob)
    values = operators.materials.STICTION_OT_material_preset.preset_values
    assert len(values) > 5
    for value in values:
        name = value.rpartition(".")[2]
        assert eval(value, {"bpy": bpy}, {}) == getattr(ob.stiction, name)


@pytest.fixture
def header():
    """Blender's status bar, as it was."""
    header = bpy.types.STATUSBAR_HT_header
    yield header
    header.draw = getattr(header, "_draw_orig", header.draw)


def drawn_by(header):
    return getattr(header.draw, "_draw_funcs", [])


def test_the_status_bar_tells_of_the_run_in_the_session_of_the_installation(extension, header):
    """The installer writes into the status bar first; Blender keeps what drew it then, and brings that back."""
    workspace = bpy.data.workspaces[0]
    ui.unregister()
    try:
        workspace.status_text_set("installing")
        workspace.status_text_set(lambda header, context: None)
    finally:
        ui.register()
    workspace.status_text_set(None)
    assert ui.bake_panel.draw_status_bar in drawn_by(header)
    workspace.status_text_set("another operator")
    workspace.status_text_set(None)
    assert ui.bake_panel.draw_status_bar in drawn_by(header)
    ui.unregister()
    try:
        workspace.status_text_set(None)
        assert ui.bake_panel.draw_status_bar not in drawn_by(header)
    finally:
        ui.register()
    assert drawn_by(header).count(ui.bake_panel.draw_status_bar) == 1


@pytest.mark.parametrize("active", ["frame", "wheel"])
def test_a_joint_counts_from_what_stands_still(scene, add, active):
    """A positive motor turns the wheel against the frame, whichever was clicked last."""
    frame, wheel = add("frame", kind="PASSIVE"), add("wheel", location=(0, 0, 2))
    select(*sorted((frame, wheel), key=lambda ob: ob.name == active))
    bpy.ops.stiction.connect(type="HINGE")
    bpy.ops.object.select_all(action="DESELECT")
    select(*sorted((frame, wheel), key=lambda ob: ob.name == active))
    bpy.ops.stiction.add_joint(type="HINGE")
    joints = [ob.stiction_joint for ob in scene.objects if ob.stiction_joint.type == "HINGE"]
    assert [(own.object1, own.object2) for own in joints] == [(frame, wheel)] * 2


def test_the_joint_between_two_moving_bodies_is_as_chosen(scene, add):
    first, second = add("a"), add("b", location=(0, 0, 2))
    select(first, second)
    bpy.ops.stiction.connect(type="HINGE")
    (own,) = [ob.stiction_joint for ob in scene.objects if ob.stiction_joint.type == "HINGE"]
    assert (own.object1, own.object2) == (first, second)


def test_the_name_of_a_joint_goes_with_its_type(scene, add):
    select(add("a"), add("b", location=(0, 0, 2)))
    bpy.ops.stiction.connect(type="FIXED")
    ob = next(ob for ob in scene.objects if ob.stiction_joint.type == "FIXED")
    assert ob.name == "Fixed Joint"
    ob.stiction_joint.type = "HINGE"
    assert ob.name == "Hinge Joint"
    ob.name = "Hinge Joint.007"
    ob.stiction_joint.type = "SLIDER"
    assert ob.name.startswith("Slider Joint")
    ob.name = "Left Knee"
    ob.stiction_joint.type = "BALL"
    assert ob.name == "Left Knee"
    ob.name = "Ball Joint of the Door"
    ob.stiction_joint.type = "HINGE"
    assert ob.name == "Ball Joint of the Door"


def test_a_keyed_size_is_mentioned(scene, add):
    ob, other = add("grows"), add("turns", location=(3, 0, 0))
    other.keyframe_insert("rotation_euler", frame=1)
    for frame, size in ((1, 1.0), (20, 2.0)):
        ob.scale = (size,) * 3
        ob.keyframe_insert("scale", frame=frame)
    found, _ = runner.check_now(scene)
    findings = [finding for some in found.values() for finding in some if "size" in finding.text]
    assert [finding.names for finding in findings] == [("grows",)]
    assert "first frame" in findings[0].text
    scene.frame_set(15)
    runner.repair(scene, "keyed_scale")
    found, _ = runner.check_now(scene)
    assert not found["keyed_scale"]
    scene.frame_set(20)
    assert tuple(ob.scale) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("by_parent", [False, True])
def test_an_animated_body_that_grows_is_refused_before_the_bake(scene, add, by_parent):
    """It was refused by the bake alone, and no click took it in."""
    add("falls", location=(0, 0, 4))
    ob = grows = add("grows", kind="PASSIVE")
    ob.stiction.kinematic = True
    if by_parent:
        grows = bpy.data.objects.new("holds it", None)
        scene.collection.objects.link(grows)
        ob.parent = grows
    for frame, size in ((1, 1.0), (20, 2.0)):
        grows.scale = (size,) * 3
        grows.keyframe_insert("scale", frame=frame)
    found, _ = runner.check_now(scene)
    assert [(finding.names, finding.weight) for finding in found["keyed_scale"]] == [(("grows",), "REFUSED")]
    assert ("holds it" in found["keyed_scale"][0].text) == by_parent
    runner.repair(scene, "keyed_scale")
    found, _ = runner.check_now(scene)
    assert not found["keyed_scale"]
    scene.frame_set(20)
    assert tuple(ob.matrix_world.to_scale()) == (1.0, 1.0, 1.0)


def test_numbers_say_their_units(scene, add):
    names = add("a").stiction.bl_rna.properties
    assert "kg/m³" in names["density"].name and "kg" in names["mass"].name


def test_cancel_by_esc_is_told(scene, add, monkeypatch):
    select(add("a"))
    work = SimpleNamespace(fraction=0.4, done=4, contact_count=3, overlap_now=1e-4, residual=2e-7, residual_now=1e-8,
                           paused=False, status=lambda: "40%, 3 s left",
                           advice=str)  # fmt: skip
    monkeypatch.setattr(jobs, "running", lambda: True)
    monkeypatch.setattr(jobs, "current", lambda: work)
    assert any("Esc" in label for label in draw_all(bpy.context).labels)


def test_compiling_says_of_how_many_how_long_and_that_it_is_once():
    job = jobs.Job.__new__(jobs.Job)
    job.state, job.paused, job.done, job.phase, job.compiled = jobs.JobState.RUNNING, False, 0, "preparing", 0
    assert job.advice() == ""
    job.hear({"compiled": 30, "of": 480, "seconds": 125.0})
    assert job.status() == "Compiling: 30 of 480"
    assert "once" in job.advice() and "2:05" in job.advice()
    job.hear({"compiled": 500, "of": 480, "seconds": 125.0})
    assert job.status() == "Compiling: 500 of 500"


def test_a_first_jelly_is_soft_and_has_few_tetrahedra(scene):
    """Blender's cube, switched to Deformable with a click."""
    bpy.ops.mesh.primitive_cube_add()
    ob = bpy.context.object
    ob.stiction.type, ob.stiction.elastic.use = "ACTIVE", True
    filling = fill(*bridge_surface(scene))
    assert 300 < len(filling.tets) < 1500 and abs(filling.error) < 0.01
    # What is as it should be is no warning of the bake.
    assert "volume" not in filling.says()
    # Under its own weight it gives by density g height / stiffness, a part of its height that is seen.
    assert 0.1 < ob.stiction.density * 9.81 * 2.0 / ob.stiction.elastic.young < 0.6
    said = estimate.sentence(scene, ob)
    assert said.startswith("About 1,000 tetrahedra: about ") and said.endswith("for 20 frames")
    assert said in " ".join(draw_all(bpy.context).labels)
    ob.stiction.elastic.element_size = 0.2
    assert estimate.sentence(scene, ob).startswith("Up to 12,000 tetrahedra: up to 3:02")
    ob.stiction.elastic.element_size = 0.5
    count, most = estimate.tetrahedra(ob)
    assert most and abs(len(fill(*bridge_surface(scene), 0.5).tets) / count - 1) < 0.5


def bridge_surface(scene):
    """Surface of the only body of a scene, as it is filled."""
    bpy.context.view_layer.update()
    (body,) = export_scene(scene).scene.bodies
    return body.shape.surface()


def test_presets_go_from_soft_to_stiff():
    stiffness = [preset.young for preset in PRESETS.values()]
    assert stiffness == sorted(stiffness)


def test_a_volume_that_is_exact_is_no_news(scene, add):
    from stiction.solver.meshes.mesh_prep import prepare_mesh
    from stiction.solver.meshes.repairs import by_solidify

    corners = [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
    flat = by_solidify(prepare_mesh(corners, [(0, 1, 2), (0, 2, 3)]), 0.01)
    assert "e-" not in str(flat[2]) and "%" not in str(flat[2])


def test_every_verb_is_found_by_what_it_does(extension):
    """In the search of F3 and in the history of undo a label stands alone: one word says too little."""
    labels = [cls.bl_label for cls in operators._classes()]
    assert len(set(labels)) == len(labels)
    assert not [label for label in labels if len(label.split()) < 2]


def controls(context):
    """What may be clicked in panels that start open, and in the headers of the others."""
    drawn = draw_all(context, closed=False)
    for cls in set(panels(context)) - set(panels(context, closed=False)):
        if hasattr(cls, "draw_header"):
            cls.draw_header(SimpleNamespace(layout=Layout(drawn)), context)
    return [*drawn.operators, *drawn.menus, *drawn.fields]


# More than that at a first sight, and one reads nothing.
MOST_CONTROLS = 12


def test_a_newcomer_sees_few_controls(extension):
    """Blender's first scene; its cube made a body; an example."""
    bpy.ops.wm.read_factory_settings()
    assert "stiction.add_example" in controls(bpy.context)
    assert len(controls(bpy.context)) <= MOST_CONTROLS
    bpy.ops.stiction.add_active()
    assert "friction" in controls(bpy.context)
    assert len(controls(bpy.context)) <= MOST_CONTROLS
    bpy.ops.stiction.add_passive()
    assert len(controls(bpy.context)) <= MOST_CONTROLS
    bpy.ops.wm.read_factory_settings()
    bpy.ops.stiction.add_example(example="WALL")
    assert len(controls(bpy.context)) <= MOST_CONTROLS


def menu_verbs(name, seen):
    """Verbs in a menu of the extension and in those in it."""
    seen.add(name)
    cls = getattr(bpy.types, name)
    if name == "STICTION_MT_materials":
        drawn = draw_menu(cls)
    else:
        menu = SimpleNamespace(layout=Layout())
        cls.draw(menu, bpy.context)
        drawn = menu.layout
    found = set(drawn.operators)
    for other in drawn.menus:
        if other not in seen:
            found |= menu_verbs(other, seen)
    return found


def test_every_verb_stands_in_a_menu_where_f3_finds_it(scene, add):
    select(add("a"))
    found = menu_verbs("STICTION_MT_stiction", set())
    importing = SimpleNamespace(layout=Layout())
    operators.joints.draw_in_import(importing, bpy.context)
    found |= set(importing.layout.operators)
    verbs = {cls.bl_idname for cls in operators._classes() if issubclass(cls, bpy.types.Operator)}
    assert verbs <= found, verbs - found


def test_what_changes_the_file_can_be_undone_by_its_label(extension):
    """Verbs without a step of undo change nothing in the file: they look, write files, or end a run."""
    plain = {cls.bl_idname for cls in operators._classes()
             if issubclass(cls, bpy.types.Operator) and "UNDO" not in getattr(cls, "bl_options", ())}  # fmt: skip
    assert plain == {f"stiction.{name}" for name in (
        "check", "save_problem", "simulate", "study", "open_report", "study_cancel", "discard", "pause",
        "material_preset", "cancel", "find_modes", "play_mode",
    )}  # fmt: skip
