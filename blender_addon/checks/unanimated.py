"""Keys that a simulation does not use: of Passive bodies that are not Animated, which would be simulated where they
stand at the first frame, and of the size of Active ones and of settings, which are those of the first frame throughout.
Animated bodies that grow cannot be simulated."""

from ...solver.base.wording import counted
from ..baking.record import remove_own_curve
from ..base.curves import curves_of, set_otherwise, varies
from ..exporting.export import frame_range
from ..rigid_body.switching import OWN_ANIMATED, moves, own_switching_of
from ..settings.motion import is_dynamic
from .base import REFUSED, WARNING, Check, Finding

SIZE = ("scale", "delta_scale")
# A scale below this is none.
NO_SIZE = 1e-6
# Where the settings of bodies, scenes and what pours are.
OWN = ("stiction.", "stiction_flow.")


def grows(ob):
    """True if the object's own keyframes change its size."""
    curves = curves_of(ob.animation_data)
    return any(curve.data_path in SIZE and varies(curve) for curve in curves)


def _stands(ob):
    """Whether a body is simulated where it stands at the first frame, though something moves it."""
    return ob.stiction.type == "PASSIVE" and not ob.stiction.kinematic and moves(ob)


def find(scan):
    """Yield a Finding for every such body."""
    for ob, _ in scan.objects():
        if _stands(ob):
            yield Finding((ob.name,), "has keyframes but is not Animated: it would stand still", WARNING)


def standing_notes(objects):
    """What a bake says of such bodies: one made by a script has no check before it."""
    return [f"object {ob.name!r}: has keyframes but is not Animated: it stands still where others meet it, and is "
            f"shown moving; {CHECK.repair_label}, below Checks in the panel, mends that"
            for ob in objects if _stands(ob)]  # fmt: skip


def mark_animated(_scene, objects, _scan):
    """Switch Animated on."""
    for ob in objects:
        ob.stiction.kinematic = True
    return f"{counted(len(objects), 'object')} now Animated"


CHECK = Check("unanimated", "Keys not used", find, "Mark Animated", mark_animated)


def growing_notes(objects):
    """What a bake says of bodies that move freely and whose size is keyed, or an ancestor's."""
    return [f"object {ob.name!r}: {_grown(ob)}; {GROWING.repair_label}, below Checks in the panel, mends that"
            for ob in objects if is_dynamic(ob.stiction) and _who_grows(ob) is not None]  # fmt: skip


def _grown(ob):
    return f"has keys {_of_size(ob)}: it collides in the size of the first frame, and is shown in another"


def _of_size(ob):
    owner = _who_grows(ob)
    return "of its size" if owner is ob else f"of the size of its parent {owner.name!r}"


def find_growing(scan):
    """Yield a Finding for every body that moves or is Animated and whose size is keyed, or an ancestor's."""
    for ob, _ in scan.objects():
        if _who_grows(ob) is None:
            continue
        if is_dynamic(ob.stiction) and _is_none(ob, scan.scene):
            yield Finding((ob.name,), f"has keys {_of_size(ob)}, and none at the first frame", REFUSED)
        elif is_dynamic(ob.stiction):
            yield Finding((ob.name,), _grown(ob), WARNING)
        elif ob.stiction.kinematic:
            text = f"has keys {_of_size(ob)}: an Animated body may move and turn, but not grow"
            yield Finding((ob.name,), text, REFUSED)


def _who_grows(ob):
    """The object, or the nearest of its ancestors, whose own keyframes change its size; None where none does."""
    while ob is not None and not grows(ob):
        ob = ob.parent
    return ob


def _is_none(ob, scene):
    """Whether an object, or an ancestor, has no size at the first frame."""
    start, _ = frame_range(scene)
    while ob is not None:
        curves = [curve for curve in curves_of(ob.animation_data) if curve.data_path in SIZE]
        if any(abs(curve.evaluate(start)) < NO_SIZE for curve in curves):
            return True
        ob = ob.parent
    return False


def keep_first_size(scene, objects, _scan):
    """Take the keys of the size away, ancestors' too: all keep the one that they have at the first frame, or the
    largest, where that is none."""
    start, _ = frame_range(scene)
    for ob in objects:
        while ob is not None:
            _keep_size(ob, start)
            ob = ob.parent
    return f"keys of the size taken from {counted(len(objects), 'object')}"


def _keep_size(ob, start):
    for curve in [one for one in curves_of(ob.animation_data) if one.data_path in SIZE and varies(one)]:
        path, index, size = curve.data_path, curve.array_index, curve.evaluate(start)
        if abs(size) < NO_SIZE:
            size = max((point.co[1] for point in curve.keyframe_points), key=abs)
        remove_own_curve(ob, path, index)
        getattr(ob, path)[index] = size


GROWING = Check("keyed_scale", "Keyed size", find_growing, "Keep First Size", keep_first_size)


def setting_notes(scene):
    """What a bake says of keys of settings: one made by a script has no check before it."""
    objects = sorted(scene.objects, key=lambda ob: ob.name)
    at_work = [ob for ob in objects if ob.stiction.type != "NONE" or ob.stiction_flow.kind != "NONE"]
    owners = [(scene, f"scene {scene.name!r}"), *((ob, f"object {ob.name!r}") for ob in at_work)]
    start, _ = frame_range(scene)
    keyed = [(who, names) for owner, who in owners if (names := _keyed_settings(owner))]
    let_go = [f"object {ob.name!r}: {LET_GO}; {RELEASED.repair_label}, below Checks in the panel, lets it go"
              for ob in at_work if _is_let_go(ob)]  # fmt: skip
    return let_go + [f"{who}: {', '.join(names)} {'has' if len(names) == 1 else 'have'} keys or drivers, which are not "
                     f"used: the value of frame {start} holds throughout" for who, names in keyed]  # fmt: skip


def _curves_of_settings(owner):
    """F-curves of an object's or scene's settings that their keys change, but those that let an Active body go."""
    lets_go = OWN_ANIMATED if _is_let_go(owner) else ""
    return [curve for curve in curves_of(owner.animation_data) if curve.data_path.startswith(OWN)
            and curve.data_path != lets_go and curve.is_valid and varies(curve)]  # fmt: skip


def _is_let_go(owner):
    """Whether an Active body has keys that switch Animated."""
    curves = curves_of(owner.animation_data)
    active = getattr(owner.stiction, "type", "") == "ACTIVE"
    return active and any(curve.data_path == OWN_ANIMATED and varies(curve) for curve in curves)


def _driven_settings(owner):
    """Data paths (set) of an object's or scene's settings that drivers set, or strips of its NLA."""
    return {path for path in set_otherwise(owner) if path.startswith(OWN) and _is_there(owner, path)}


def _is_there(owner, path):
    try:
        owner.path_resolve(path)
    except ValueError:
        return False
    return True


def _keyed_settings(owner):
    """Names, as panels show them before the unit, of an object's or scene's settings that keys, strips or drivers
    change."""
    paths = {curve.data_path for curve in _curves_of_settings(owner)} | _driven_settings(owner)
    return sorted({_place_of(owner, path)[1].name.partition(" [")[0] for path in paths})


def _place_of(owner, path):
    """(what holds the setting of a data path, its definition)."""
    group, _, name = path.rpartition(".")
    holder = owner.path_resolve(group)
    return holder, holder.bl_rna.properties[name]


def find_settings(scan):
    """Yield a Finding for every body whose settings are keyed."""
    for ob, _ in scan.objects():
        names = _keyed_settings(ob)
        if names:
            text = f"has keys or drivers of {', '.join(names)}: the first frame's value holds throughout"
            yield Finding((ob.name,), text, WARNING)


def keep_first_values(scene, objects, _scan):
    """Take the keys and drivers of settings away: all keep the values that they have at the first frame."""
    start, _ = frame_range(scene)
    for ob in objects:
        for curve in _curves_of_settings(ob):
            _keep_value(ob, curve, curve.evaluate(start))
        for path in _driven_settings(ob):
            ob.driver_remove(path)
    return f"keys and drivers of settings taken from {counted(len(objects), 'object')}"


def _keep_value(ob, curve, value):
    holder, setting = _place_of(ob, curve.data_path)
    index = curve.array_index if getattr(setting, "is_array", False) else -1
    remove_own_curve(ob, curve.data_path, curve.array_index)
    if setting.type == "ENUM":
        value = next(item.identifier for item in setting.enum_items if item.value == round(value))
    else:
        value = {"BOOLEAN": bool, "INT": round}.get(setting.type, float)(value)
    if index < 0:
        setattr(holder, setting.identifier, value)
    else:
        getattr(holder, setting.identifier)[index] = value


SETTINGS = Check("keyed_settings", "Keyed settings", find_settings, "Keep First Values", keep_first_values)


def find_let_go(scan):
    """Yield a Finding for every Active body that keys of Animated are to let go."""
    for ob, _ in scan.objects():
        if _is_let_go(ob):
            yield Finding((ob.name,), LET_GO, WARNING)


def set_release(scene, objects, _scan):
    """Let the bodies go by Release where the keys switch Animated off, and take these away."""
    for ob in objects:
        own, keyed = ob.stiction, own_switching_of(ob, scene)
        for curve in [one for one in curves_of(ob.animation_data) if one.data_path == OWN_ANIMATED]:
            remove_own_curve(ob, curve.data_path, curve.array_index)
        keyed.give(own)
    return f"{counted(len(objects), 'object')} let go by Release"


LET_GO = "has keys of Animated, which are not used: a body is let go by Release"
RELEASED = Check("keyed_animated", "Keyed Animated", find_let_go, "Set Release", set_release)
