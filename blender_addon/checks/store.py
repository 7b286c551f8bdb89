"""The findings as the panel lists them, and what the bodies weigh. Kept with the window, never saved in a file."""

import bpy
from bpy.props import BoolProperty, CollectionProperty, IntProperty, StringProperty

from ...solver.base.wording import counted
from . import CHECKS
from . import scan as scans
from .base import Finding

_facts = {}
# Subjects of the last check: scene, metres in a Blender unit, name -> (subject, link).
_last = {}


def _show(self, _context):
    """Select the objects of the finding that was clicked."""
    if not 0 <= self.active < len(self.found):
        return
    item, layer = self.found[self.active], bpy.context.view_layer
    objects = [layer.objects.get(name) for name in (item.name, item.other) if name]
    for ob in layer.objects.selected:
        ob.select_set(False)
    for ob in reversed([ob for ob in objects if ob is not None]):
        ob.select_set(True)
        layer.objects.active = ob


class StictionFinding(bpy.types.PropertyGroup):
    """One line of the list; `name` is the object."""

    check: StringProperty()
    other: StringProperty()
    text: StringProperty()
    weight: StringProperty()


class StictionFindings(bpy.types.PropertyGroup):
    """All lines, of the scene that was checked last; large: bodies whose surfaces were not looked at; at_start: these
    bodies were checked at the first frame, too, where overlaps are looked for."""

    found: CollectionProperty(type=StictionFinding)
    active: IntProperty(update=_show, options={"SKIP_SAVE"})
    scene: StringProperty()
    body_count: IntProperty()
    large: IntProperty()
    at_start: BoolProperty()


CLASSES = (StictionFinding, StictionFindings)


def register():
    """Attach the list to the window manager."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.WindowManager.stiction_findings = bpy.props.PointerProperty(
        type=StictionFindings, options={"SKIP_SAVE"}
    )


def unregister():
    """Remove the list."""
    _facts.clear()
    _last.clear()
    del bpy.types.WindowManager.stiction_findings
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)


def keep(scene, found, scan):
    """Put findings by key in the list, in the order of CHECKS, and remember what the bodies weigh."""
    group = bpy.context.window_manager.stiction_findings
    again = group.scene == scene.name
    if not scan.at_start and again:
        found = {**found, **_still_there(group, scan)}
    group.at_start = scan.at_start or again and group.at_start and group.body_count == len(scan.subjects)
    group.found.clear()
    for key in CHECKS:
        for finding in found[key]:
            item = group.found.add()
            item.check, item.name, item.text, item.weight = key, finding.names[0], finding.text, finding.weight
            item.other = finding.names[1] if len(finding.names) > 1 else ""
    group.scene, group.body_count, group.large = scene.name, len(scan.subjects), len(scan.large())
    _facts.clear()
    subjects = {subject.name: (subject, subject.link) for subject in scan.accepted()}
    _last.update(scene=scene.session_uid, unit=scan.unit, subjects=subjects)
    _facts.update({subject.name: facts_of(subject) for subject in scan.accepted()})


def _still_there(group, scan):
    """Findings of the last check that hold at the first frame only, where this one was not made there."""
    return {
        "overlapping": [
            Finding((item.name, item.other), item.text, item.weight)
            for item in group.found
            if item.check == "overlapping" and item.name in scan.subjects and item.other in scan.subjects
        ]
    }


def last_subjects(scene):
    """{name: (subject, link)} of a scene's bodies as they were checked last; empty if they were not."""
    return _last["subjects"] if _last.get("scene") == scene.session_uid else {}


def last_unit():
    """Metres in a Blender unit when bodies were checked last."""
    return _last["unit"]


def facts_of(subject):
    """Lines (label, value) on a body: size, and mass, volume and centre of mass where it has them."""
    lines = [("Size", " x ".join(f"{x:.4g}" for x in subject.bounds[1] - subject.bounds[0]) + " m")]
    if subject.solid is not None:
        place = ", ".join(f"{x:.4g}" for x in center_of_mass(subject))
        lines += [("Mass", f"{subject.mass:.4g} kg"), ("Volume", f"{subject.solid.volume:.4g} m³")]
        lines.append(("Center", f"({place}) m"))
    return tuple(lines)


def center_of_mass(subject):
    """Centre of mass (3,) [m] of a subject in the world."""
    import numpy as np

    from ..base.transforms import matrix_of_quaternion

    turn = matrix_of_quaternion(np.array(subject.body.orientation))
    return turn @ subject.solid.center + np.array(subject.body.position)


def facts(name):
    """Lines (label, value) on a body as it was checked last; empty if it was not."""
    return _facts.get(name, ())


def unsearched(count):
    """What is said of so many bodies whose surfaces were not looked at."""
    return f"overlaps not looked for on {counted(count, 'body')} of more than {scans.MOST_TRIANGLES:,} triangles"


def count_of(group, key):
    """Number of objects a kind of finding is about."""
    return len({item.name for item in group.found if item.check == key})
