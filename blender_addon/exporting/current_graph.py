"""What Blender has evaluated, with every change of the file in it.

Blender calls timers after an operator has changed the file and before the dependency graph follows. Until it does, what
is evaluated may point at data that is freed: a mesh that was left in Edit Mode, a mesh before an undo.
"""

import bpy


class CurrentGraph:
    """The dependency graph of a view layer, brought up to date whenever it is asked for.

    Keeps no pointer that Blender could free: a generator may hold it from one slice to the next.
    """

    def __init__(self, scene, view_layer):
        self._scene, self._layer = scene, view_layer.name

    def now(self):
        """The Depsgraph as the file is now, for use until something changes the file or control goes back to Blender.

        Costs a microsecond where nothing has changed. ReferenceError if the view layer or its scene was removed.
        """
        layer = self._scene.view_layers.get(self._layer)
        if layer is None:
            raise ReferenceError(f"view layer {self._layer!r} of scene {self._scene.name!r} was removed")
        if layer == bpy.context.view_layer:
            return bpy.context.evaluated_depsgraph_get()
        layer.update()
        return layer.depsgraph


def graph_of(scene):
    """The CurrentGraph of the view layer that shows a scene; of its first one where none does."""
    return CurrentGraph(scene, bpy.context.view_layer if bpy.context.scene == scene else scene.view_layers[0])
