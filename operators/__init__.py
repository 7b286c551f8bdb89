"""One file a verb of the user. Operators call the bridge; they compute nothing."""


def _classes():
    from . import (
        add_active,
        add_example,
        add_passive,
        bake,
        bake_partial,
        cancel,
        check,
        clear,
        deformable,
        discard,
        drop_to_rest,
        import_rigid_body,
        joints,
        look_inside,
        materials,
        open_report,
        pause,
        remove,
        repair,
        simulate,
    )
    from .studies import flow_add, runs, study

    return (
        add_active.STICTION_OT_add_active,
        add_passive.STICTION_OT_add_passive,
        remove.STICTION_OT_remove,
        add_example.STICTION_OT_add_example,
        check.STICTION_OT_check,
        repair.STICTION_OT_repair,
        *materials.CLASSES,
        *joints.CLASSES,
        *look_inside.CLASSES,
        *simulate.CLASSES,
        *deformable.CLASSES,
        *study.CLASSES,
        *runs.CLASSES,
        *flow_add.CLASSES,
        import_rigid_body.STICTION_OT_import_rigid_body,
        bake.STICTION_OT_bake,
        bake.STICTION_OT_go_on,
        bake_partial.STICTION_OT_bake_partial,
        pause.STICTION_OT_pause,
        cancel.STICTION_OT_cancel,
        discard.STICTION_OT_discard,
        clear.STICTION_OT_clear,
        drop_to_rest.STICTION_OT_drop_to_rest,
        open_report.STICTION_OT_open_report,
    )


def register():
    """Register the operators."""
    import bpy

    from .drop_to_rest import draw_in_transform
    from .joints import draw_in_add, draw_in_import

    for cls in _classes():
        bpy.utils.register_class(cls)
    bpy.types.VIEW3D_MT_add.append(draw_in_add)
    bpy.types.VIEW3D_MT_transform_object.append(draw_in_transform)
    bpy.types.TOPBAR_MT_file_import.append(draw_in_import)


def unregister():
    """Remove the operators."""
    import bpy

    from ..blender_addon.base import events
    from . import bake, check, in_background
    from .deformable import modes
    from .drop_to_rest import draw_in_transform
    from .joints import draw_in_add, draw_in_import

    bpy.types.VIEW3D_MT_transform_object.remove(draw_in_transform)
    bpy.types.TOPBAR_MT_file_import.remove(draw_in_import)
    bpy.types.VIEW3D_MT_add.remove(draw_in_add)
    events.end_all()
    for module in (bake, check, in_background, modes):
        module.stop()
    for cls in reversed(_classes()):
        bpy.utils.unregister_class(cls)
    events.drop()
