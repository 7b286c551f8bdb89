"""The menu Object > Stiction: every verb stands in a menu, for the search of F3 reads menus alone."""

import bpy

from ..blender_addon.base.enums import identifier
from ..blender_addon.checks import CHECKS
from ..blender_addon.examples import EXAMPLES
from ..blender_addon.flow.settings import KINDS

# Verbs by the line that parts them.
BODIES = ("add_active", "add_passive", "remove", "drop_to_rest", "import_rigid_body", "check", "connect")
RUNS = ("bake", "go_on", "bake_partial", "pause", "cancel", "discard", "clear", "open_report", "simulate")
LOOKS = ("tetrahedra", "find_modes", "play_mode", "stress", "verify", "plots", "compare_methods", "compare_runs",
         "save_problem", "contact_mesh")  # fmt: skip
MATERIALS = ("add_pair", "remove_pair")
RAGDOLLS = ("ragdoll", "ragdoll_to_bones", "rope", "remove_parts")
STUDIES = ("study_set_up", "study_parameter_add", "study_parameter_remove", "study_run", "study_cancel", "study_show",
           "study_load", "study_render", "study")  # fmt: skip


def _draw_group(layout, names):
    layout.separator()
    # Verbs that open a file browser or ask something do so from here, too.
    layout.operator_context = "INVOKE_DEFAULT"
    for name in names:
        layout.operator(f"stiction.{name}")


class STICTION_MT_repairs(bpy.types.Menu):
    """What Check finds, each kind mended at once."""

    bl_label = "Repair Bodies"

    def draw(self, context):
        for check in CHECKS.values():
            text = f"{check.repair_label} ({check.label})"
            self.layout.operator("stiction.repair", text=text).check = identifier(check.key)


class STICTION_MT_add(bpy.types.Menu):
    """Scenes to begin with, and what lets bodies in and out."""

    bl_label = "Add to the Simulation"

    def draw(self, context):
        layout = self.layout
        for example in EXAMPLES.values():
            made = layout.operator("stiction.add_example", text=f"Example: {example.label}")
            made.example = identifier(example.key)
        layout.separator()
        for kind, label, _ in KINDS[1:]:
            layout.operator("stiction.flow_add", text=f"Add {label}").kind = kind
        layout.separator()
        layout.menu("STICTION_MT_add_joint")


class STICTION_MT_stiction(bpy.types.Menu):
    """All verbs."""

    bl_label = "Stiction"

    def draw(self, context):
        layout = self.layout
        layout.menu("STICTION_MT_add")
        layout.menu("STICTION_MT_materials")
        layout.menu("STICTION_MT_repairs")
        for names in (BODIES, RUNS, LOOKS, MATERIALS, RAGDOLLS, STUDIES):
            _draw_group(layout, names)


def draw_in_object(self, context):
    """The entry of Blender's Object menu."""
    self.layout.separator()
    self.layout.menu("STICTION_MT_stiction")


CLASSES = (STICTION_MT_repairs, STICTION_MT_add, STICTION_MT_stiction)
