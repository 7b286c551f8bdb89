"""Plots, methods compared on a step of the user's scene, a step saved as a contact problem."""

import json

import bpy
import numpy as np
import pytest

from stiction.blender_addon.inside import comparing, letters, pictures, plain_plot, plot_data, step_worker
from stiction.blender_addon.inside.contacts import record_of
from stiction.solver.scene_io.problem_file import load_problem


@pytest.fixture
def pile(scene, add, tmp_path):
    """Two cubes on a slab, baked; 8 frames."""
    add("slab", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
    add("lower", location=(0, 0, 0.5))
    add("upper", location=(0.1, 0, 1.5))
    scene.frame_end, scene.stiction.cache = 8, str(tmp_path / "cache")
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    return scene


@pytest.mark.slow
def test_plots_are_an_image_and_a_file(pile):
    pytest.importorskip("matplotlib")
    assert bpy.ops.stiction.plots() == {"FINISHED"}
    image = bpy.data.images[pictures.PLOTS]
    assert tuple(image.size) == (1500, 800)
    assert (record_of(pile).folder / "plots.png").stat().st_size > 20_000


@pytest.mark.slow
def test_without_matplotlib_plots_are_plain_and_it_is_said(pile, monkeypatch):
    from stiction import operators

    plots = operators.look_inside.STICTION_OT_plots
    monkeypatch.setattr(plots, "_ended", lambda self, context, code: self.done(context, 4))
    assert bpy.ops.stiction.plots() == {"FINISHED"}
    image = bpy.data.images[pictures.PLOTS]
    assert tuple(image.size) == (1000, 1200)
    text = bpy.data.texts[pictures.PLOTS].as_string()
    assert "residual [m/s]" in text
    assert "friction work, energy [J]" in text


@pytest.mark.parametrize("operator", ["plots", "compare_methods"])
def test_what_they_make_is_a_step_of_undo(operator, pile, monkeypatch):
    """Blender goes back to freed memory where an operator changes the file without one."""
    from stiction import operators

    def make(self, context, *_code):
        for name in (pictures.PLOTS, comparing.TEXT):
            comparing.keep(name, ["made"])
        return {"FINISHED"}

    monkeypatch.setattr(operators.look_inside._OnRun, "execute", make)
    bpy.ops.ed.undo_push(message="baked")
    bpy.context.scene["mark"] = 1
    bpy.ops.ed.undo_push(message="mark")
    assert getattr(bpy.ops.stiction, operator)("EXEC_DEFAULT", True) == {"FINISHED"}
    bpy.ops.ed.undo()
    assert bpy.context.scene.get("mark") == 1 and comparing.TEXT not in bpy.data.texts, "that alone is undone"
    bpy.ops.ed.redo()
    assert comparing.TEXT in bpy.data.texts


def test_ledger_has_every_term_and_adds_up(pile):
    frames = record_of(pile).frames
    energy = plot_data.panels(frames.steps, frames.header)[3].series
    assert set(energy) == {"kinetic", "potential", "friction work", "impact loss", "stabilisation", "unexplained"}
    total = energy["kinetic"] + energy["potential"] - energy["kinetic"][0]
    works = sum(energy[name] - energy[name][0] for name in ("friction work", "impact loss", "stabilisation"))
    assert energy["unexplained"] == pytest.approx(total - works, abs=1e-9)


def test_plain_lines_are_where_the_values_are():
    panel = plot_data.Panel("x", {"a": np.linspace(0, 1, 50)})
    pixels, words = plain_plot.draw([panel])
    colored = np.abs(pixels[:, :, :3] - plain_plot.COLORS[0]).max(axis=2) < 1e-6
    rows, columns = np.nonzero(colored)
    assert np.corrcoef(rows, columns)[0, 1] > 0.99
    assert ("x" in {word[2] for word in words}) and ("0" in {word[2] for word in words})


def test_plain_plots_have_round_numbers_at_both_axes_and_a_legend_above_the_lines():
    values = {"first": np.linspace(0.13, 7.9, 50), "second": np.linspace(7.9, 0.13, 50)}
    along = plot_data.Along(1, 250, "frame")
    pixels, words = plain_plot.draw([plot_data.Panel("x", values, along=along)])
    said = [text for _, _, text, _ in words]
    assert {"frame", "50", "250", "2", "8", "first", "second"} <= set(said)
    legend = min(y for _, y, text, _ in words if text in values)
    for color in plain_plot.COLORS[:2]:
        assert np.nonzero(np.abs(pixels[:, :, :3] - color).max(axis=2) < 1e-6)[0].max() < legend
    decades = plain_plot.draw([plot_data.Panel("x", {"a": np.geomspace(3e-9, 2e-3, 50)}, log=True)])[1]
    assert {"1e-8", "1e-4"} <= {text for _, _, text, _ in decades}


def test_letters_are_drawn_where_blender_draws_none():
    """As wide and as high as they are, above their base line, cut at the picture's edge; what is no letter shows."""
    pixels = np.ones((20, 60, 4), dtype=np.float32)
    letters.write(pixels, [(4, 6, "L", (1, 0, 0)), (50, 6, "wide", (0, 0, 1)), (20, 6, "é", (0, 1, 0)), (0, 0, "", ())])
    red, green, blue = (np.argwhere((pixels[:, :, :3] == np.eye(3)[k]).all(axis=2)) for k in range(3))
    assert red[:, 0].min() == 6 and red[:, 0].max() > 12 and 4 <= red[:, 1].min() <= red[:, 1].max() < 11
    assert len(green) and blue[:, 1].max() == 59


def test_methods_are_compared_on_the_step_shown(pile):
    pile.frame_set(6)
    assert bpy.ops.stiction.compare_methods(methods="pgs,accelerated", max_iterations=200) == {"FINISHED"}
    text = bpy.data.texts[comparing.TEXT].as_string()
    assert "step 20 (frame 6)" in text
    curves = json.loads((record_of(pile).folder / "compare" / "compare.json").read_text())
    assert {curve["method"] for curve in curves} == {"pgs", "accelerated"}
    assert all(curve["problem"] == "Scene_00020" for curve in curves)
    best = {curve["method"]: curve["residual"] for curve in curves}
    assert best["accelerated"] < 1e-8 < best["pgs"], "a method cut off at 200 iterations is not hidden"
    # Blender's own Python has no matplotlib: the same picture, plainer.
    folder = record_of(pile).folder / "compare"
    (folder / "compare.png").unlink()
    image = pictures.draw_comparison(folder)
    assert (folder / "compare.png").is_file() and tuple(image.size) == (1000, 400)


def test_plain_comparison_goes_through_every_point():
    curves = [{"method": "pgs", "points": [[1, 1e-3, 1e-1], [10, 1e-2, 1e-2], [100, 1e-1, 1e-3]]},
              {"method": "prox", "points": [[10, 2e-2, 1e-4], [20, 4e-2, 0.0]]},
              {"method": "refused", "points": []}]  # fmt: skip
    iterations, seconds = plot_data.comparison_panels(curves)
    pgs, prox = iterations.series["pgs"], iterations.series["prox"]
    assert set(iterations.series) == {"pgs", "prox"} and iterations.log
    assert (pgs[0], pgs[-1]) == pytest.approx((1e-1, 1e-3))
    # One over the iterations: a straight line between logarithms.
    assert pgs == pytest.approx(1e-1 / np.geomspace(1, 100, len(pgs)))
    assert prox == pytest.approx(np.full(len(prox), 1e-4))
    assert seconds.along == pytest.approx((0.001, 0.1, "CPU time [s]", True))


def test_step_is_saved_as_a_problem_anyone_can_solve(pile, tmp_path):
    pile.frame_set(8)
    path = tmp_path / "step.npz"
    assert bpy.ops.stiction.save_problem(filepath=str(path)) == {"FINISHED"}
    problem = load_problem(path)
    assert problem.block_count >= 6


def test_refusals_are_one_sentence(pile, tmp_path):
    with pytest.raises(RuntimeError, match="no method 'magic'; choose from"):
        bpy.ops.stiction.compare_methods(methods="magic")
    with pytest.raises(RuntimeError, match="step.npz: the folder .*/no does not exist; make it or choose another"):
        bpy.ops.stiction.save_problem(filepath=str(tmp_path / "no" / "step.npz"))
    bpy.ops.stiction.clear()
    pile.stiction.run = str(tmp_path / "gone")
    with pytest.raises(RuntimeError, match="no run to look into; bake first"):
        bpy.ops.stiction.plots()


def test_frame_without_contacts_is_named(scene, add, tmp_path, capfd):
    add("cube", location=(0, 0, 5))
    scene.frame_end, scene.stiction.cache = 4, str(tmp_path)
    bpy.ops.stiction.bake()
    folder = record_of(scene).folder
    assert step_worker.main("compare", folder, "8", tmp_path / "out", "pgs") == 2
    assert "nothing touches there; choose a frame" in capfd.readouterr().err


@pytest.mark.slow
def test_runs_of_other_methods_stand_beside_the_scene(pile):
    before = {ob.name for ob in pile.objects}
    pile.frame_set(8)
    for _ in range(2):
        assert bpy.ops.stiction.compare_runs(methods="pgs,prox") == {"FINISHED"}
    made = {ob.name for ob in pile.objects} - before
    assert made == {"Stiction pgs", "Stiction prox", "Stiction pgs Name", "Stiction prox Name"}
    depsgraph = bpy.context.evaluated_depsgraph_get()
    places = [each.matrix_world.translation[:] for each in depsgraph.object_instances if each.is_instance]
    beside = [place for place in places if abs(place[2] - 1.5) < 0.01 and abs(place[0] - 0.1) < 0.01]
    assert len(beside) == 2, "the upper cube, once for each method, at its own height"
    assert beside[0][1] != beside[1][1]
    table = bpy.data.texts[f"{comparing.TEXT} of Runs"].as_string()
    assert "pgs" in table
    bpy.ops.stiction.clear()
    assert {ob.name for ob in pile.objects} == before


def test_forces_as_meshes_show_the_frame_and_carry_attributes(pile):
    assert bpy.ops.stiction.contact_mesh() == {"FINISHED"}
    assert "Stiction Force Chains" not in pile.objects, "this run kept no contacts"
    assert {"velocity", "speed", "angular_velocity", "at_rest", "body"} <= set(
        pile.objects["Stiction Velocities"].data.attributes.keys()
    )
    pile.stiction.simulation.store_contacts = True
    bpy.ops.stiction.bake()
    for _ in range(2):
        assert bpy.ops.stiction.contact_mesh() == {"FINISHED"}
    forces, chains = pile.objects["Stiction Contact Forces"], pile.objects["Stiction Force Chains"]
    wanted = {"frame", "force", "normal_force", "friction", "gap", "body_a", "width"}
    assert wanted <= set(forces.data.attributes.keys())
    frame = np.empty(len(chains.data.vertices), dtype=np.int32)
    chains.data.attributes["frame"].data.foreach_get("value", frame)
    force = np.empty(len(frame), dtype=np.float32)
    chains.data.attributes["force"].data.foreach_get("value", force)
    assert sorted(force[frame == 8])[0] == pytest.approx(9810, rel=0.01)
    assert sorted(force[frame == 8])[-1] == pytest.approx(19620, rel=0.01)
    sizes = []
    for number in (1, 8):
        pile.frame_set(number)
        evaluated = chains.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        sizes.append(len(evaluated.vertices))
    assert sizes[0] == 0, "no step has been at the first frame"
    assert sizes[1] == 2 * 2 * 8, "two tubes of eight sides"
