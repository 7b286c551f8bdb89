"""What all panels share."""

import textwrap


class StictionPanel:
    """A panel of the tab Stiction in the sidebar of the 3D view."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Stiction"

    def columns(self):
        """A layout with labels in their own column, as in the properties editor."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        return layout


# Width of a letter, and of what stands beside a label in a box (icon, borders), in pixels at the usual scale.
LETTER, BESIDE = 6.2, 62.0


def draw_wrapped(layout, context, text, icon="NONE"):
    """A sentence over as many lines as the panel's width takes."""
    scale = context.preferences.system.ui_scale
    width = max(24, int((context.region.width / scale - BESIDE) / LETTER)) if context.region else 40
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(textwrap.wrap(text, width)):
        column.label(text=line, icon=icon if number == 0 or icon == "NONE" else "BLANK1", translate=False)
