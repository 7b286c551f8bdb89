"""One file a verb of the user. Operators call the bridge; they compute nothing."""


def _classes():
    from . import add_active, add_passive, bake, cancel, check, clear, import_rigid_body, materials, remove, repair

    return (
        add_active.STICTION_OT_add_active,
        add_passive.STICTION_OT_add_passive,
        remove.STICTION_OT_remove,
        check.STICTION_OT_check,
        repair.STICTION_OT_repair,
        *materials.CLASSES,
        import_rigid_body.STICTION_OT_import_rigid_body,
        bake.STICTION_OT_bake,
        cancel.STICTION_OT_cancel,
        clear.STICTION_OT_clear,
    )


def register():
    """Register the operators."""
    import bpy

    for cls in _classes():
        bpy.utils.register_class(cls)


def unregister():
    """Remove the operators."""
    import bpy

    for cls in reversed(_classes()):
        bpy.utils.unregister_class(cls)
