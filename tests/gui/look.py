"""Pictures of what one looks at: the check list, materials, the verdict, every overlay, plots.

Run by tools/test_gui.sh with WALK=tests/gui/look.py; fails if a panel or the draw handler does.
"""

import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import check, open_tab, override, part, picture, state, window

waited = []
PROBLEM = os.path.join(driver.HERE, "step.npz")
# Place of the field Friction below the top of the sidebar [pixels], in a window 1040 high.
FRICTION_Y = 603


def build():
    scene = bpy.context.scene
    driver.remove_meshes()
    with override():
        bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -0.25), scale=(8, 8, 0.5))
        bpy.context.object.name = "Ground"
        bpy.ops.stiction.add_passive()
        for level in range(4):
            for i in range(4 - level):
                place = (i - 1.5 + 0.5 * level, 0, 0.5 + level)
                bpy.ops.mesh.primitive_cube_add(size=1, location=place, scale=(0.98, 0.8, 1))
                bpy.context.object.name = f"Brick {level} {i}"
                bpy.ops.stiction.add_active()
        for x in (-3, 3):
            bpy.ops.mesh.primitive_monkey_add(size=1, location=(x, -2, 1))
            bpy.ops.stiction.add_active()
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=(-6, 0, 2))
        bpy.context.object.name = "Ball"
        bpy.ops.stiction.add_active()
        bpy.context.object.stiction.velocity = (12, 0, 3)
        bpy.ops.mesh.primitive_cube_add(size=1, location=(3, 2, 0.4))
        bpy.context.object.name = "Sunken"
        bpy.ops.stiction.add_active()
        ob = bpy.context.object
        ob.stiction.use_friction_t, ob.stiction.friction_t = True, 0.2
    scene.frame_end = 24
    scene.stiction.simulation.store_contacts = True
    driver.open_sidebar()
    window()[1].spaces.active.region_3d.view_distance = 15


def wait_for_findings():
    waited.append(1)
    return not bpy.context.window_manager.stiction_findings.found and len(waited) < 30


def look_at_findings():
    found = bpy.context.window_manager.stiction_findings.found
    keys = {item.check for item in found}
    check({"open_mesh", "overlapping"} <= keys, f"the check has run by itself as objects became bodies: {sorted(keys)}")
    if found:
        bpy.context.window_manager.stiction_findings.active = 0
    chosen = [ob.name for ob in bpy.context.selected_objects]
    check("Suzanne" in chosen, f"choosing a finding selects its objects: {chosen}")


def look_at_list():
    driver.say("found after", len(waited), "looks")
    picture("findings")


def repair():
    for key in ("open_mesh", "overlapping"):
        with override():
            bpy.ops.stiction.repair(check=key.upper())
    found = bpy.context.window_manager.stiction_findings.found
    check(not found, f"repaired: {[item.text for item in found]}")
    look = bpy.context.window_manager.stiction_look
    look.shapes = look.centers = look.directions = True


def look_at_shapes():
    picture("shapes")


def developer():
    bpy.context.window_manager.stiction_look.shapes = False
    bpy.context.scene.stiction.developer = True
    window()[1].tag_redraw()


def look_at_developer():
    picture("developer")
    bpy.context.scene.stiction.developer = False


def bake():
    with override():
        result = bpy.ops.stiction.bake("INVOKE_DEFAULT")
    check(result == {"RUNNING_MODAL"}, "Bake goes on in the background")


def after_bake():
    scene = bpy.context.scene
    check(bool(scene.stiction.verdict), f"verdict: {scene.stiction.verdict}; {scene.stiction.summary}")
    scene.frame_set(12)
    look = bpy.context.window_manager.stiction_look
    look.centers = look.directions = False
    look.points = look.normals = look.velocity = True
    window()[1].spaces.active.shading.type = "WIREFRAME"


def look_at_forces():
    picture("forces")


def chains():
    look = bpy.context.window_manager.stiction_look
    look.points = look.normals = look.velocity = False
    look.chains = look.friction = True
    bpy.context.scene.frame_set(24)


def look_at_chains():
    picture("chains")


def plots():
    look = bpy.context.window_manager.stiction_look
    look.chains = look.friction = False
    check(not part("blender_addon.overlay.drawing")._handlers, "nothing shown, no draw handler")
    win = bpy.context.window_manager.windows[0]
    small = min((area for area in win.screen.areas if area.type != "VIEW_3D"), key=lambda a: -a.width * a.height)
    small.type = "IMAGE_EDITOR"
    with override():
        bpy.ops.stiction.plots("INVOKE_DEFAULT")


def wait_for_plots():
    return "Stiction Plots" not in bpy.data.images


def enlarge_plots():
    """As a person does who wants to read the numbers: the picture in the largest area."""
    show_large("Stiction Plots")


def look_at_plots():
    picture("plots")
    show_view()


def show_large(name):
    area = window()[1]
    state["large"] = area
    area.type = "IMAGE_EDITOR"
    area.spaces.active.image = bpy.data.images[name]
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area, region=region):
        bpy.ops.image.view_all(fit_view=True)


def show_view():
    state["large"].type = "VIEW_3D"


def compare_methods():
    with override():
        begun = bpy.ops.stiction.compare_methods("INVOKE_DEFAULT", methods="accelerated,pgs,nncg")
    check(begun == {"RUNNING_MODAL"}, "Compare Methods on This Step goes on beside Blender")


def wait_for_comparison():
    waited.append("comparison")
    return "Stiction Comparison" not in bpy.data.texts and waited.count("comparison") < 200


def look_at_comparison():
    text = bpy.data.texts["Stiction Comparison"].as_string()
    driver.say(text.replace("\n", " | "))
    check("pgs" in text and "nncg" in text, "the table names every method")
    check("Stiction Comparison" in bpy.data.images, "and there is a plot")
    show_large("Stiction Comparison")


def look_at_large_comparison():
    picture("comparison")
    show_view()


def save_step():
    # The file browser of a real window, accepted by Return.
    with override():
        bpy.ops.stiction.save_problem("INVOKE_DEFAULT", filepath=PROBLEM)


def accept_file():
    picture("file_browser")
    windows = bpy.context.window_manager.windows
    driver.do(f"xdotool mousemove {windows[-1].width // 2} {windows[-1].height // 2}; sleep 1; xdotool key Return")


def wait_for_problem():
    waited.append("problem")
    return not os.path.isfile(PROBLEM) and waited.count("problem") < 60


def look_at_problem():
    check(os.path.isfile(PROBLEM), f"the contact problem of the frame is at {PROBLEM}")


def make_meshes():
    with override():
        check(bpy.ops.stiction.contact_mesh() == {"FINISHED"}, "Make Meshes of These")
    made = [ob.name for ob in bpy.context.scene.objects if ob.name.startswith("Stiction")]
    check({"Stiction Contact Forces", "Stiction Force Chains"} <= set(made), f"made {made}")
    window()[1].spaces.active.shading.type = "SOLID"


def look_at_meshes():
    picture("meshes")


def select_two():
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob.name.startswith("Brick 0"))
    bpy.context.view_layer.objects.active = bpy.context.scene.objects["Brick 0 0"]
    window()[1].tag_redraw()


def edit_with_alt():
    """Alt with a double click on the field Friction, a number, Return: on all selected objects, as Blender does."""
    region = window()[2]["UI"]
    x, y = driver.at(region, 0.75 * region.width, FRICTION_Y)
    wait = 0.3 * driver.PACE
    driver.do(f"xdotool mousemove {int(x)} {int(y)}; sleep {2 * wait}; xdotool keydown alt; sleep {wait}; "
              f"xdotool click --repeat 2 --delay 80 1; sleep {wait}; xdotool keyup alt; sleep {wait}; "
              f"xdotool key ctrl+a; sleep {wait}; xdotool type 0.77; sleep {wait}; xdotool key Return")  # fmt: skip


def wait_for_edit():
    waited.append("edit")
    return waited.count("edit") < 8


def look_at_edit():
    picture("alt_edit")
    values = {ob.name: round(ob.stiction.friction, 3) for ob in bpy.context.selected_objects}
    check(len(values) == 4 and set(values.values()) == {0.77}, f"Alt sets friction on all selected: {values}")


STATIONS = [
    driver.install, build, open_tab, wait_for_findings, open_tab, look_at_findings, open_tab, look_at_list, repair,
    look_at_shapes, developer, look_at_developer, bake, driver.baking, after_bake, look_at_forces, chains,
    look_at_chains, plots, wait_for_plots, enlarge_plots, look_at_plots, compare_methods, wait_for_comparison,
    look_at_comparison, look_at_large_comparison, save_step, accept_file, wait_for_problem, look_at_problem,
    make_meshes, look_at_meshes, select_two, edit_with_alt, wait_for_edit, look_at_edit, driver.finish,
]  # fmt: skip


driver.begin("look", STATIONS, pause=1.5, again=1.5, pictures="look_")
