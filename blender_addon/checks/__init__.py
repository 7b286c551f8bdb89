"""What may go wrong with the bodies of a scene, found before a run. A new kind is a file here and a line in CHECKS."""

from . import (
    carried,
    constrained,
    falling_ground,
    force_fields,
    hidden,
    joints,
    layers,
    linked,
    open_mesh,
    overlapping,
    posed,
    refused,
    shear,
    thin,
    unanimated,
    unlikely,
)
from .forms import off_center, rounded, self_crossing, unmeshed
from .overlaps import hollow

# In the order in which the panel shows them: first what a bake would refuse.
CHECKS = {
    check.key: check
    for check in (
        unmeshed.CHECK,
        open_mesh.CHECK,
        open_mesh.FILLED,
        open_mesh.SHEETS,
        open_mesh.BRANCHING,
        shear.CHECK,
        hidden.CHECK,
        constrained.CHECK,
        joints.CHECK,
        linked.CHECK,
        refused.CHECK,
        refused.STRETCHED,
        falling_ground.CHECK,
        hidden.INSTANCED,
        hidden.UNREALIZED,
        overlapping.CHECK,
        hollow.CHECK,
        self_crossing.CHECK,
        unanimated.CHECK,
        carried.CHECK,
        unanimated.GROWING,
        unanimated.RELEASED,
        unanimated.SETTINGS,
        posed.CHECK,
        posed.POSED,
        force_fields.CHECK,
        layers.CHECK,
        unlikely.MASS,
        unlikely.SIZE,
        unlikely.WEAK,
        unlikely.STRUCK,
        thin.CHECK,
        rounded.CHECK,
        off_center.CHECK,
    )
}
