"""Pictures of what one looks at: the check list, materials, the verdict, every overlay, plots.

Run by tools/test_gui.sh with WALK=tests/gui/look.py; fails if a panel or the draw handler does.
"""

import io
import os
import subprocess
import sys
import traceback

import bpy

OUTPUT = os.environ.get("STICTION_GUI_OUTPUT", os.path.dirname(os.path.abspath(__file__)))
ZIP = os.environ["STICTION_GUI_ZIP"]
bpy.context.preferences.view.show_splash = False
failures, waited = [], []


def check(condition, sentence):
    print("[look]", "ok  " if condition else "FAIL", sentence, flush=True)
    if not condition:
        failures.append(sentence)


def module(name):
    import importlib

    return importlib.import_module(f"bl_ext.user_default.stiction.{name}")


def window():
    win = bpy.context.window_manager.windows[0]
    area = max((area for area in win.screen.areas if area.type == "VIEW_3D"), key=lambda area: area.width)
    return win, area, {region.type: region for region in area.regions}


def override():
    win, area, regions = window()
    return bpy.context.temp_override(window=win, area=area, region=regions["WINDOW"])


def screenshot(name):
    subprocess.run(["import", "-window", "root", os.path.join(OUTPUT, f"gui_look_{name}.png")], check=True)


def install():
    bpy.ops.extensions.package_install_files(filepath=ZIP, repo="user_default", enable_on_install=True)
    check(hasattr(bpy.types.WindowManager, "stiction_look"), "the zip installs and registers")
    root = os.path.dirname(module("blender_addon").__file__)
    for folder, _, names in os.walk(os.path.dirname(root)):
        for name in names:
            os.utime(os.path.join(folder, name), (1.5e9, 1.5e9))


def build():
    scene = bpy.context.scene
    for ob in list(bpy.data.objects):
        if ob.type == "MESH":
            bpy.data.objects.remove(ob)
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
    _, area, _ = window()
    area.spaces.active.show_region_ui = True
    area.spaces.active.region_3d.view_distance = 15


def open_tab():
    _, area, regions = window()
    regions["UI"].active_panel_category = "Stiction"
    area.tag_redraw()


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
    print("[look] found after", len(waited), "looks", flush=True)
    screenshot("findings")


def repair():
    for key in ("open_mesh", "overlapping"):
        with override():
            bpy.ops.stiction.repair(check=key)
    found = bpy.context.window_manager.stiction_findings.found
    check(not found, f"repaired: {[item.text for item in found]}")
    look = bpy.context.window_manager.stiction_look
    look.shapes = look.centers = look.directions = True


def look_at_shapes():
    screenshot("shapes")


def developer():
    bpy.context.window_manager.stiction_look.shapes = False
    bpy.context.scene.stiction.developer = True
    window()[1].tag_redraw()


def look_at_developer():
    screenshot("developer")
    bpy.context.scene.stiction.developer = False


def bake():
    with override():
        result = bpy.ops.stiction.bake("INVOKE_DEFAULT")
    check(result == {"RUNNING_MODAL"}, "Bake goes on in the background")


def wait_for_bake():
    return module("blender_addon.running.job").running() or bool(module("operators.bake")._work)


def after_bake():
    scene = bpy.context.scene
    check(bool(scene.stiction.verdict), f"verdict: {scene.stiction.verdict}; {scene.stiction.summary}")
    scene.frame_set(12)
    look = bpy.context.window_manager.stiction_look
    look.centers = look.directions = False
    look.points = look.normals = look.velocity = True
    window()[1].spaces.active.shading.type = "WIREFRAME"


def look_at_forces():
    screenshot("forces")


def chains():
    look = bpy.context.window_manager.stiction_look
    look.points = look.normals = look.velocity = False
    look.chains = look.friction = True
    bpy.context.scene.frame_set(24)


def look_at_chains():
    screenshot("chains")


def plots():
    look = bpy.context.window_manager.stiction_look
    look.chains = look.friction = False
    check(not module("blender_addon.overlay.drawing")._handlers, "nothing shown, no draw handler")
    win = bpy.context.window_manager.windows[0]
    small = min((area for area in win.screen.areas if area.type != "VIEW_3D"), key=lambda a: -a.width * a.height)
    small.type = "IMAGE_EDITOR"
    with override():
        bpy.ops.stiction.plots("INVOKE_DEFAULT")


def wait_for_plots():
    return "Stiction Plots" not in bpy.data.images


def look_at_plots():
    screenshot("plots")


def finish():
    print(f"[look] {len(failures)} failures", flush=True)
    os._exit(1 if failures else 0)


STATIONS = [
    install, build, open_tab, wait_for_findings, open_tab, look_at_findings, open_tab, look_at_list, repair,
    look_at_shapes, developer, look_at_developer, bake, wait_for_bake, after_bake, look_at_forces, chains,
    look_at_chains, plots, wait_for_plots, look_at_plots, finish,
]  # fmt: skip


def tick():
    station = STATIONS[0]
    said = io.StringIO()
    try:
        again = station()
    except Exception:
        traceback.print_exc(file=said)
        print(said.getvalue(), flush=True)
        failures.append(station.__name__)
        again = False
    if not again:
        STATIONS.pop(0)
    return 1.5 if STATIONS else None


sys.stdout.flush()
bpy.app.timers.register(tick, first_interval=2.0, persistent=True)
