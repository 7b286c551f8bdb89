"""Flow: what lets bodies in and out, and counts them."""

import bpy

from .base import StictionPanel

EMITTER = ("pours", "count", "rate", "start", "size_spread", "turned", "velocity", "seed")


class STICTION_PT_flow(StictionPanel, bpy.types.Panel):
    """Emitters, gates, counters and sinks."""

    bl_label = "Flow"
    bl_idname = "STICTION_PT_flow"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.columns()
        row = layout.row(align=True)
        for kind in ("EMITTER", "COUNTER", "SINK"):
            row.operator("stiction.flow_add", text=kind.title(), icon="ADD").kind = kind
        ob = context.object
        if ob is None:
            return
        flow = ob.stiction_flow
        if ob.stiction.type == "PASSIVE":
            layout.prop(flow, "gate")
            if flow.gate:
                layout.prop(flow, "at_rest")
                layout.prop(flow, "gate_time")
            return
        if flow.kind == "NONE":
            return
        layout.label(text=ob.name, icon="OBJECT_DATA")
        layout.prop(flow, "kind")
        for name in EMITTER if flow.kind == "EMITTER" else ():
            layout.prop(flow, name)


CLASSES = (STICTION_PT_flow,)
