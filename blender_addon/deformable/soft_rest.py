"""What of Blender's Soft Body has no counterpart: a line each, with what holds instead."""

from ..base.curves import curves_of

# Numbers that count where they are not Blender's own: their value there, and what holds instead.
REST = {
    "aero": (0, "no air acts here"),
    "friction": (0.5, "no medium slows it; set Linear Damping, which holds for the whole scene"),
    "speed": (1.0, "set Speed, which holds for the whole scene"),
    "spring_length": (0, "it begins without tension; scale its mesh"),
}
NAMES = {"aero": "aerodynamics", "spring_length": "spring length"}
SAME = 1e-6


def say_rest(ob, source, entry):
    """Say in the Entry of the report what of the Soft Body settings `source` is set and has no counterpart."""
    for name, (usual, instead) in REST.items():
        value = getattr(source, name)
        if abs(value - usual) > SAME:
            entry.left_out.append(f"{NAMES.get(name, name)} {value:.3g}: {instead}")
    if abs(source.effector_weights.gravity - 1.0) > SAME:
        entry.left_out.append(f"gravity {source.effector_weights.gravity:.3g}: that of the scene acts in full")
    keyed = [curve.data_path for curve in curves_of(ob.animation_data)
             if "modifiers" in curve.data_path and "settings." in curve.data_path]  # fmt: skip
    if keyed:
        names = ", ".join(sorted({path.rpartition(".")[2] for path in keyed}))
        entry.left_out.append(f"keys of {names}: the values of the present frame hold for the whole run")
