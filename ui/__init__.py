"""Panels: draw only."""


def _classes():
    """All classes in the order of registration, which is that of the panels."""
    from . import (
        bake_panel,
        check_panel,
        deformable_panel,
        flow_panel,
        inside_panel,
        joint_panel,
        material_panel,
        menu,
        panel,
        study_panel,
        verdict_panel,
    )

    # Bake comes first: what one presses and what runs is seen without scrolling.
    modules = (
        bake_panel, verdict_panel, panel, joint_panel, deformable_panel, material_panel, check_panel, inside_panel,
        flow_panel, study_panel, menu,
    )  # fmt: skip
    return tuple(cls for module in modules for cls in module.CLASSES)


def register():
    """Register the panels."""
    import bpy

    for cls in _classes():
        bpy.utils.register_class(cls)
    from . import status_bar
    from .bake_panel import draw_status_bar
    from .menu import draw_in_object

    bpy.types.VIEW3D_MT_object.append(draw_in_object)
    status_bar.add(draw_status_bar)


def unregister():
    """Remove the panels."""
    import bpy

    from . import status_bar
    from .bake_panel import draw_status_bar
    from .menu import draw_in_object

    bpy.types.VIEW3D_MT_object.remove(draw_in_object)
    status_bar.remove(draw_status_bar)
    for cls in reversed(_classes()):
        bpy.utils.unregister_class(cls)
