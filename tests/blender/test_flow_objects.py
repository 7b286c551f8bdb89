"""Emitters, gates, counters and sinks as objects: what the solver gets, what a bake shows, what is refused."""

import bpy
import numpy as np
import pytest
from panel_layout import draw_all

from stiction.blender_addon.baking import bake as baking
from stiction.blender_addon.exporting import reading as readings
from stiction.blender_addon.exporting.assembly import assemble
from stiction.blender_addon.exporting.reader import read_scene
from stiction.blender_addon.flow.settings import add as add_flow
from stiction.blender_addon.overlay import OVERLAYS
from stiction.blender_addon.overlay.view import View
from stiction.blender_addon.running import run as runs
from stiction.solver.base.refusal import SceneError
from stiction.solver.scene import Counter


@pytest.fixture
def poured(scene, add, tmp_path):
    """A slab, a lid above it with a cube on it as a gate, and an emitter that pours small cubes beside them."""
    add("slab", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
    lid = add("lid", kind="PASSIVE", scale=(1, 1, 0.1), location=(0, 0, 1.0))
    lid.stiction_flow.gate, lid.stiction_flow.gate_time, lid.stiction_flow.at_rest = True, 0.2, False
    add("cube", scale=(0.2, 0.2, 0.2), location=(0, 0, 1.15))
    prototype = add("grain", kind="NONE", scale=(0.1, 0.1, 0.2), location=(30, 0, 0))
    prototype.stiction.friction = 0.3
    grains = bpy.data.collections.new("Grains")
    grains.objects.link(prototype)
    emitter = add_flow(scene, "EMITTER", (3, 0, 1))
    emitter.scale, emitter.stiction_flow.pours = (0.4, 0.4, 0.05), grains
    emitter.stiction_flow.count, emitter.stiction_flow.rate = 4, 10.0
    emitter.stiction_flow.size_spread = 0.2
    scene.stiction.cache = str(tmp_path)
    bpy.context.view_layer.update()
    return scene


def test_what_the_solver_gets(poured, tmp_path):
    counter, sink = add_flow(poured, "COUNTER", (0, 0, 0.5)), add_flow(poured, "SINK", (0, 0, -3))
    sink.scale = (2, 2, 1)
    poured.unit_settings.scale_length = 0.5
    bpy.context.view_layer.update()
    reading = read_scene(poured)
    readings.save(reading, tmp_path)
    made = assemble(readings.load(tmp_path)).scene
    (gate,), (emitter,) = made.gates, made.emitters
    assert (gate.body, gate.time, gate.speed) == ("lid", pytest.approx(0.2), None)
    assert np.allclose(emitter.box, [[1.3, -0.2, 0.475], [1.7, 0.2, 0.525]])
    assert (emitter.count, emitter.rate, emitter.size_spread) == (4, 10.0, pytest.approx(0.2))
    assert np.allclose(emitter.shapes[0].size, [0.05, 0.05, 0.1])
    material = next(one for one in made.materials.materials if one.name == emitter.material)
    assert material.friction == pytest.approx(0.3)
    assert isinstance(made.counters[0], Counter) and np.allclose(made.counters[0].normal, (0, 0, -1), atol=1e-6)
    assert np.allclose(made.sinks[0].box, [[-1, -1, -2], [1, 1, -1]])
    assert counter.empty_display_type == "SINGLE_ARROW" and "grain" not in [body.name for body in made.bodies]


def test_bake_shows_what_is_poured_and_takes_the_gate_away(poured):
    poured.frame_end = 20
    bpy.data.objects["grain"].color = (0.2, 0.4, 0.6, 0.5)
    bodies = {"lid": poured.objects["lid"], "cube": poured.objects["cube"]}
    _, warnings = runs.simulate_and_bake(poured)
    assert not [sentence for sentence in warnings if "gate" in sentence or "emitter" in sentence]
    poured.frame_set(20)
    # The lid is gone after 0.2 s: the cube falls past its place.
    assert bodies["cube"].matrix_world.translation.z < 0.9
    assert bodies["lid"].hide_render and bodies["lid"].display_type == "WIRE"
    carrier = next(ob for ob in poured.objects if ob.get("stiction_carrier"))
    assert len(carrier.data.vertices) == 12
    assert tuple(carrier.color) == pytest.approx((0.2, 0.4, 0.6, 0.5)), "or its instances would be white"
    sizes = {frame: _sizes(poured, carrier, frame) for frame in (1, 20)}
    assert (sizes[1] > 0.01).sum() == 1 and (sizes[20] > 0.01).sum() == 4
    assert len(np.unique(sizes[20].round(5))) == 4
    baking.clear(poured)
    poured.frame_set(1)
    assert not bodies["lid"].hide_render and bodies["lid"].display_type == "TEXTURED"
    assert not [ob for ob in poured.objects if ob.get("stiction_carrier")] and bodies["lid"].animation_data is None


@pytest.mark.parametrize("shape", ["AUTO", "CONVEX_HULL"])
def test_what_is_not_turned_comes_as_its_object_stands(poured, shape):
    """To the vertex, at the first frame, where the first one has just come and rests in the air."""
    grain, flow = poured.objects["grain"], poured.objects["Emitter"].stiction_flow
    grain.rotation_euler, grain.stiction.shape = (0.5, 0.3, 0.8), shape
    flow.turned, flow.size_spread, poured.frame_end = False, 0.0, 2
    bpy.context.view_layer.update()
    runs.simulate_and_bake(poured)
    carrier = next(ob for ob in poured.objects if ob.get("stiction_carrier"))
    poured.frame_set(1)
    matrices = [np.array(one.matrix_world) for one in bpy.context.evaluated_depsgraph_get().object_instances
                if one.is_instance and one.parent.original == carrier]  # fmt: skip
    shown = max(matrices, key=lambda matrix: np.abs(matrix[:3, :3]).max())
    assert np.abs(shown[:3, :3] - np.array(grain.matrix_world)[:3, :3]).max() < 1e-5


@pytest.mark.parametrize("way", ["KEYFRAMES", "INSTANCES"])
def test_what_a_sink_has_taken_is_out_of_view(poured, way):
    sink = add_flow(poured, "SINK", (0, 0, 0.5))
    sink.scale = (0.5, 0.5, 0.15)
    poured.frame_end, poured.stiction.bake_to = 20, way
    bpy.context.view_layer.update()
    cube = poured.objects["cube"]
    runs.simulate_and_bake(poured)
    if way == "KEYFRAMES":
        seen = {}
        for frame in (1, 5, 20):
            poured.frame_set(frame)
            seen[frame] = (cube.hide_render, cube.hide_viewport)
        assert seen == {1: (False, False), 5: (False, False), 20: (True, True)}
    else:
        carrier = next(ob for ob in poured.objects if ob.get("stiction_carrier") and len(ob.data.vertices) == 3)
        assert _sizes(poured, carrier, 5).max() > 0.1 and _sizes(poured, carrier, 20).max(initial=0.0) < 1e-3
    # Lifted off and put back, as for every run, then cleared: in view again.
    with baking.lifted(poured):
        assert not (cube.hide_render or cube.hide_viewport) or way == "INSTANCES"
    poured.frame_set(20)
    assert cube.hide_render
    baking.clear(poured)
    assert not cube.hide_render and not cube.hide_viewport and cube.animation_data is None


def _sizes(scene, carrier, frame):
    """Width of each instance of a carrier at a frame."""
    scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = [one.matrix_world.to_scale()[0] for one in depsgraph.object_instances
             if one.is_instance and one.parent.original == carrier]  # fmt: skip
    return np.array(found)


def test_panel_and_drawing(poured):
    emitter = poured.objects["Emitter"]
    bpy.context.view_layer.objects.active = emitter
    drawn = draw_all(bpy.context)
    assert {"pours", "count", "rate", "size_spread", "seed"} <= set(drawn.fields)
    assert drawn.operators.count("stiction.flow_add") == 3
    bpy.context.view_layer.objects.active = poured.objects["lid"]
    assert {"gate", "at_rest", "gate_time"} <= set(draw_all(bpy.context).fields)
    add_flow(poured, "COUNTER", (0, 0, 2))
    bpy.context.view_layer.update()
    strokes = OVERLAYS["flow"].strokes(View(poured, 1))
    # Boxes of the emitter and of the gate, square and arrow of the counter, which points down.
    assert [len(stroke.segments) for stroke in strokes] == [12, 12, 7]
    assert np.allclose(strokes[0].segments.min(axis=(0, 1)), (2.6, -0.4, 0.95))
    assert strokes[2].segments[4:, 1, 2].min() < 1.1


def test_add_emitter_takes_the_selected_meshes(poured):
    bpy.data.objects["grain"].name = "old"
    poured.collection.children.link(bpy.data.collections["Grains"])
    bpy.context.view_layer.update()
    for ob in poured.objects:
        ob.select_set(ob.name in ("old", "slab"))
    assert bpy.ops.stiction.flow_add(kind="EMITTER") == {"FINISHED"}
    # The slab is a body already.
    assert [ob.name for ob in bpy.context.object.stiction_flow.pours.objects] == ["old"]


def test_what_is_missing_is_said(poured):
    poured.objects["Emitter"].stiction_flow.pours = None
    with pytest.raises(SceneError, match="emitter 'Emitter': pours nothing; choose a collection"):
        read_scene(poured)
    poured.objects["Emitter"].stiction_flow.pours = bpy.data.collections["Grains"]
    bpy.data.objects["grain"].stiction.type = "ACTIVE"
    with pytest.raises(SceneError, match="pours 'grain', which is a body itself"):
        read_scene(poured)


def test_a_change_of_the_flow_puts_a_bake_out_of_date(poured):
    from stiction.blender_addon.baking.signature import signature

    before = signature(poured)
    poured.objects["Emitter"].stiction_flow.rate = 11.0
    assert signature(poured) != before
