"""What all panels share."""


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
