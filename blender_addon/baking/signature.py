"""A cheap fingerprint of what the export would read, to tell when a bake is out of date."""

import hashlib
import time
from types import SimpleNamespace

import bpy

from ..base.clock import frames_per_second
from ..base.steps import exhausted
from ..base.windows import redraw_sidebars
from ..deformable.settings import PINNED, weights_in
from ..exporting.current_graph import graph_of
from ..exporting.meshes import mesh_of
from ..exporting.reader import bodies_of, gravity_of, parts_of, struck_boxes, unit_length
from ..exporting.reading import plain_values
from ..flow.reading import EMITTER_FIELDS
from ..flow.settings import objects_of
from ..joints.constraints import parted_pairs, read_constraints
from ..joints.locks import locked
from ..joints.own_reading import fault, joint_objects, joint_values, related
from ..settings.motion import is_deformable, is_dynamic
from ..settings.properties import method_attribute
from .bake import baked_objects
from .fingerprint import Fingerprints

# Not settings: written by the bake itself, or only for the eye.
RESULTS = {
    "signature", "summary", "verdict", "worth", "verified", "run", "record", "cache", "developer", "follow",
    "active_pair", "bake_to", "bake_selected",
}  # fmt: skip
# Settings of an object that count only while another has a value.
ONLY = {
    "friction_t": lambda own: own["use_friction_t"],
    "use_mass": lambda own: own["moves"],
    "mass": lambda own: own["use_mass"] and own["moves"],
    "use_inertia": lambda own: own["use_mass"] and own["moves"],
    "center": lambda own: own["use_mass"] and own["use_inertia"] and own["moves"],
    "inertia": lambda own: own["use_mass"] and own["use_inertia"] and own["moves"],
    "asleep": lambda own: _free_at_start(own),
    "use_damping": lambda own: _damped(own),
    "linear_damping": lambda own: own["use_damping"] and _damped(own),
    "angular_damping": lambda own: own["use_damping"] and _damped(own),
    "release": lambda own: own["type"] == "ACTIVE" and (own["kinematic"] or _let_go(own)),
    "release_frame": lambda own: _let_go(own),
    "held_again": lambda own: own["held_again"] and _let_go(own),
    "velocity": lambda own: _free_at_start(own),
    "angular_velocity": lambda own: _free_at_start(own),
    "voxel_size": lambda own: own["shape"] == "VOXEL_REMESH",
    "thickness": lambda own: own["shape"] == "SOLIDIFY",
    "triangle_count": lambda own: own["shape"] == "PROXY",
    "ignore": lambda own: False,  # by the bodies it names, below
    "moves": lambda own: False,  # of the others
}
# It is taken again after this many times what it costs: at most a few percent of the time is spent on it.
PATIENCE = 20
# Options that files from before them do not have, and what they do: such bakes stay up to date.
ADDED = {"merge_fixed": True, "contacts_of": "steps", "until_not_accepted": False}
# Settings of a deformable body that count where it moves in modes.
REDUCTION = "modes", "bends", "spin", "damping_ratio"
SHORTEST = 0.1  # seconds between two fingerprints
SLICE, BETWEEN = 0.012, 0.01  # seconds of a timer call, and between two calls


def signature(scene):
    """Fingerprint of what a simulation of the scene starts from, and the last frame: 'hash-250'. Sets no frame, and
    knows no names."""
    return exhausted(signature_steps(scene))


def signature_steps(scene):
    """As `signature`, a generator that yields after every body."""
    prints, found = Fingerprints(scene, graph_of(scene)), {}
    for ob in bodies_of(scene):
        found[ob] = _body(ob, prints)
        yield len(found)
    content = hashlib.blake2b(repr(_scene_values(scene)).encode(), digest_size=16)
    for body in sorted(found.values()):
        content.update(body)
    for pair in sorted(_ignored(found)):
        content.update(b"".join(pair))
    for joint in sorted(_joints(scene, found, prints)):
        content.update(joint)
    for one in sorted(_flow(scene, found, prints)):
        content.update(one)
    return f"{content.hexdigest()}-{last_frame(scene)}"


def _scene_values(scene):
    """What of the scene counts: its own settings without those of the methods not chosen."""
    own = plain_values(scene.stiction, RESULTS)
    start = scene.frame_start if own["use_scene_range"] else own["frame_start"]
    chosen = method_attribute(own["method"])
    for name in list(own):
        if name in ("frame_start", "frame_end", "use_scene_range") or name.startswith("options_") and name != chosen:
            del own[name]
    del own["gravity_weight"], own["time_scale"]
    for name, usual in ADDED.items():
        if own["simulation"][name] == usual:
            del own["simulation"][name]
    return own, start, gravity_of(scene), frames_per_second(scene), unit_length(scene)


def _body(ob, prints):
    """Bytes that stand for a body."""
    content = hashlib.blake2b(_settings(ob), digest_size=16)
    content.update(prints.pose(ob))
    content.update("".join(locked(ob)).encode())
    content.update(b"seen" if ob.evaluated_get(prints.graph.now()).is_evaluated else b"hidden")
    for part in _meshes(ob, prints):
        content.update(part)
    return content.digest()


def _meshes(ob, prints):
    """Bytes that stand for the meshes of a body's shape."""
    for part in [ob] if ob.stiction.shape != "COMPOUND" else parts_of(ob):
        yield prints.mesh(part)
        if part != ob:
            yield _shape_settings(part) + prints.pose(part)


def _joints(scene, found, prints):
    """Bytes that stand for each Rigid Body constraint between two bodies, and each joint, by what they join."""
    for one in read_constraints(scene, found, prints.graph.now()):
        ends = [found[scene.objects[one.pop(name)]] for name in ("object1", "object2")]
        one.pop("name")
        yield b"".join(ends) + repr(sorted(one.items())).encode()
    for pair in parted_pairs(scene, found):
        yield b"parted" + b"".join(sorted(found[scene.objects[name]] for name in pair))
    known = dict(found)
    for ob in joint_objects(scene):
        ends, places = related(ob)
        wrong = fault(ob, found)
        values = wrong if wrong else joint_values(ob)
        parts = [known.get(end, b"none") for end in ends] + [prints.pose(place) for place in places]
        known[ob] = hashlib.blake2b(b"".join([*parts, values.encode()]), digest_size=16).digest()
        yield known[ob]


def _flow(scene, found, prints):
    """Bytes that stand for each gate, emitter, counter and sink, by what it holds, pours and where it is."""
    for kind in ("GATE", "EMITTER", "COUNTER", "SINK"):
        for ob in objects_of(scene, kind):
            flow = ob.stiction_flow
            if kind == "GATE":
                parts = [found.get(ob, b"none"), repr((flow.gate_time, flow.at_rest)).encode()]
            else:
                parts = [prints.pose(ob), prints.mesh(ob), repr(ob.empty_display_size).encode()]
            if kind == "EMITTER":
                values = [getattr(flow, name) for name in EMITTER_FIELDS]
                parts.append(repr((values, tuple(flow.velocity))).encode())
                parts += [_poured(one, flow.turned, prints) for one in _poured_by(flow)]
            yield hashlib.blake2b(b"|".join([kind.encode(), *parts]), digest_size=16).digest()


def _poured_by(flow):
    return sorted([] if flow.pours is None else flow.pours.objects, key=lambda ob: ob.name)


def _poured(ob, turned, prints):
    """Bytes that stand for a mesh that an emitter pours, wherever it is, and if `turned` however it is turned."""
    body = _settings(ob, {"type": "ACTIVE", "kinematic": False, "release": False})
    return b"|".join([ob.stiction.type.encode(), body, prints.stance(ob, turned), *_meshes(ob, prints)])


def _let_go(own):
    """True if the frames count at which it is let go."""
    return own["release"] and own["type"] == "ACTIVE" and (own["kinematic"] or not own["deformable"])


def _free_at_start(own):
    """True if it moves freely from the first frame."""
    return own["type"] == "ACTIVE" and not own["kinematic"]


def _damped(own):
    """True if a body's own damping counts: it is a rigid one."""
    return own["moves"] and not own["deformable"]


def _settings(ob, other=None):
    """Bytes that stand for a body's settings; other: values it has not itself."""
    own, elastic = plain_values(ob.stiction, RESULTS | {"elastic"}) | (other or {}), ob.stiction.elastic
    settings = SimpleNamespace(**own, elastic=elastic)
    own["deformable"] = _elastic(ob, plain_values(elastic, RESULTS)) if is_deformable(settings) else elastic.use
    own["moves"] = is_dynamic(settings)
    for name in [name for name, counts in ONLY.items() if not counts(own)]:
        del own[name]
    return repr(own).encode()


def _elastic(ob, elastic):
    """What counts of a deformable body's settings: of vertex groups not their names but what the export reads."""
    pins, stiffer, heavier = elastic.pop("pin_group"), elastic.pop("stiffness_group"), elastic["mass_group"]
    for name in ("preset", "plays_as"):
        del elastic[name]
    if not stiffer:
        del elastic["stiffness_factor"]
    reduced = elastic.pop("motion") == "MODES"
    numbers = [elastic.pop(name) for name in REDUCTION]
    elastic.pop("struck")
    if reduced:
        # The law follows from whether it bends far.
        del elastic["law"]
        elastic["reduction"] = numbers, sorted(struck_boxes(ob.stiction.elastic))
    # Of a mesh in Edit Mode it is a copy.
    mesh = mesh_of(ob) if pins or stiffer or heavier else None
    least = None if elastic["use_goal"] else PINNED
    groups = [_weights(ob, mesh, pins, least), _weights(ob, mesh, stiffer)]
    # Only where there is one: bakes from before stay up to date.
    return elastic, *groups, *([_weights(ob, mesh, heavier)] if heavier else [])


def _weights(ob, mesh, name, least=None):
    """Bytes of the weights in a vertex group, of whether they are above `least` if given; else empty."""
    if not name:
        return b""
    weights = weights_in(ob, mesh, name)
    # The refusal of a group that is not there names it.
    return name.encode() if weights is None else (weights if least is None else weights > least).tobytes()


def _shape_settings(part):
    """What of a part's settings counts in a compound: its shape alone."""
    own = plain_values(part.stiction, RESULTS)
    numbers = [own[name] for name in ("voxel_size", "thickness", "triangle_count") if ONLY[name](own)]
    return repr((own["shape"], numbers)).encode()


def _ignored(found):
    """Pairs of bodies, by their fingerprints, of which one ignores a collection with the other."""
    for ob, body in found.items():
        if ob.stiction.ignore is not None:
            for other in ob.stiction.ignore.all_objects:
                if other in found and other != ob:
                    yield tuple(sorted((body, found[other])))


def last_frame(scene):
    """Last frame of the range to simulate."""
    return scene.frame_end if scene.stiction.use_scene_range else scene.stiction.frame_end


_known: dict = {}
_under_way: dict = {}


def signature_lately(scene):
    """The signature as it was a moment ago, for panels: taken anew when Blender has time, a few percent of it.
    Until it is taken first, nothing has changed."""
    if bpy.app.background:
        return signature(scene)
    known, again = _known.get(scene.session_uid, (scene.stiction.signature, 0.0))
    if not bpy.app.timers.is_registered(_refresh):
        bpy.app.timers.register(_refresh, first_interval=max(SHORTEST, again - time.monotonic()))
    return known


def know(scene, now):
    """Tell panels the signature that a bake has just taken: the one they had may be from before a change."""
    if not bpy.app.background:
        _keep(scene, now, 0.0)


def _refresh():
    """A slice of taking it; begun anew where the scene has changed under it."""
    scene = bpy.context.scene
    if _under_way.get("scene") != scene.session_uid:
        _under_way.update(scene=scene.session_uid, steps=signature_steps(scene), spent=0.0)
    start = time.monotonic()
    try:
        while time.monotonic() - start < SLICE:
            next(_under_way["steps"])
    except StopIteration as end:
        _keep(scene, end.value, _under_way["spent"] + time.monotonic() - start)
        return None
    except ReferenceError:
        # Objects were removed since the last slice.
        _under_way.clear()
        return SHORTEST
    _under_way["spent"] += time.monotonic() - start
    return BETWEEN


def _keep(scene, now, spent):
    before = _known.get(scene.session_uid, (scene.stiction.signature, 0.0))[0]
    _under_way.clear()
    _known[scene.session_uid] = now, time.monotonic() + PATIENCE * spent
    if now != before:
        redraw_sidebars(bpy.context.window_manager)


def stop():
    """Take it no more."""
    _known.clear()
    _under_way.clear()
    if bpy.app.timers.is_registered(_refresh):
        bpy.app.timers.unregister(_refresh)


def same_but_longer(scene, now):
    """True if the scene, with the signature `now`, has changed since its bake by nothing but a later last frame."""
    made, _, end = scene.stiction.signature.rpartition("-")
    return made == now.rpartition("-")[0] and end.lstrip("-").isdigit() and last_frame(scene) > int(end)


def out_of_date(scene):
    """True if the scene carries a bake made from something else than it is now, or was a moment ago."""
    if not scene.stiction.signature or not baked_objects(scene):
        return False
    return signature_lately(scene) != scene.stiction.signature
