"""Blender scene -> SceneReading: what the depsgraph shows at the first frame, read in slices of a few milliseconds."""

from contextlib import contextmanager

import bpy
import numpy as np

from ...solver.base.refusal import SceneError
from ..base.clock import frames_per_second, given_range
from ..base.curves import animated_under, curves_of
from ..base.enums import solver_key
from ..base.geometry import vertices_of
from ..base.transforms import significant
from ..deformable.goals import held
from ..deformable.posed import own_vertices_only, refuse_made_before
from ..deformable.settings import goal_weights, pinned_points, weighted_points
from ..flow.reading import box_of, read_flow
from ..flow.settings import objects_of
from ..joints.constraints import parted_pairs, read_constraints
from ..joints.locks import read_locks
from ..joints.own_reading import read_own
from ..materials.pair_settings import read_pairs
from ..settings.motion import follows, is_deformable, is_dynamic
from .current_graph import CurrentGraph
from .layers import ignored_pairs
from .meshes import GeometryCache, mesh_of
from .reading import BodyReading, SceneReading, plain_values, settings_of
from .sampling import sample_steps

# Written by a bake, not set by the user.
RESULTS = ("record",)


def unit_length(scene):
    """Metres in a Blender unit."""
    settings = scene.unit_settings
    return 1.0 if settings.system == "NONE" else significant(settings.scale_length)


def gravity_of(scene):
    """Acceleration that acts on the bodies of the scene, in Blender units a second squared."""
    if not scene.use_gravity:
        return 0.0, 0.0, 0.0
    return tuple((significant(scene.stiction.gravity_weight) * np.array(scene.gravity, dtype=float)).tolist())


def keyed_gravity(scene):
    """A sentence where keys, strips or drivers change gravity, in a list."""
    if not {"gravity", "use_gravity"} & animated_under(scene, ""):
        return []
    first, _ = frame_range(scene)
    return [f"scene {scene.name!r}: gravity has keys or drivers, which are not used: that of frame {first} acts "
            "throughout; remove them, or bake what comes before and after a change as two scenes"]  # fmt: skip


def frame_range(scene):
    """First and last frame of the simulation; SceneError if there is nothing between them."""
    start, end = given_range(scene)
    if end <= start:
        raise SceneError(f"scene {scene.name!r}: frame range {start} to {end} is empty; set End after Start")
    return start, end


def refuse_stretched_time(scene):
    """SceneError where Blender plays a frame's keys at another frame: the bake's keys would move, too."""
    old, new = scene.render.frame_map_old, scene.render.frame_map_new
    if old != new:
        raise SceneError(
            f"scene {scene.name!r}: Time Stretching is {old} to {new}, which would play the bake at another pace than "
            "it was simulated at; set Old and New to the same value (Output > Frame Range); Speed gives slow motion"
        )


def bodies_of(scene):
    """Objects of the scene that take part, in a fixed order (by name)."""
    return sorted((ob for ob in scene.objects if ob.stiction.type != "NONE"), key=lambda ob: ob.name)


def parts_of(ob):
    """The children whose meshes make the shape of a compound, in a fixed order."""
    return sorted((child for child in ob.children if child.type == "MESH"), key=lambda child: child.name)


def read_scene(scene, view_layer=None):
    """The SceneReading of a scene; the frame is set to read the animation and put back. SceneError for what cannot
    be read."""
    steps = read_steps(scene, view_layer)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def read_steps(scene, view_layer=None):
    """Generator that reads a scene, yielding (done, in all) often; its return value is the SceneReading."""
    start, end = frame_range(scene)
    refuse_stretched_time(scene)
    objects = bodies_of(scene)
    if not any(is_dynamic(ob.stiction) for ob in objects) and not objects_of(scene, "EMITTER"):
        raise SceneError(f"scene {scene.name!r}: no Active body; select mesh objects and press Add Active")
    view_layer = view_layer or bpy.context.view_layer
    graph = CurrentGraph(scene, view_layer)
    # Made here if nothing has asked for it yet: setting a frame makes none.
    graph.now()
    following = [ob for ob in objects if follows(ob.stiction)]
    for ob in following:
        refuse_made_before(ob)
    with own_vertices_only(following), _frame_kept(scene):
        scene.frame_set(start)
        reader = ObjectReader(scene, graph)
        bodies = []
        for number, ob in enumerate(objects):
            bodies.append(reader.body(ob))
            yield number, len(objects)
        joints = read_constraints(scene, objects, graph.now())
        joints += read_own(scene, objects, graph.now(), range(start, end + 1))
        pairs = tuple(sorted({*ignored_pairs(objects), *parted_pairs(scene, objects)}))
        flow, pours = read_flow(scene, reader.poured)
        samples = yield from sample_steps(scene, graph, objects, range(start, end + 1))
    joints += read_locks(objects, bodies, samples)
    return SceneReading(
        name=scene.name, unit=reader.unit, fps=frames_per_second(scene), gravity=gravity_of(scene),
        combine=solver_key(scene.stiction.combine), frame_start=start, frame_end=end, bodies=tuple(bodies),
        meshes=reader.meshes, excluded_pairs=pairs, samples=samples,
        pairs=read_pairs(scene), joints=joints, flow=flow, pours=pours,
    )  # fmt: skip


@contextmanager
def _frame_kept(scene):
    current, subframe = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        if scene.frame_current != current or scene.frame_subframe != subframe:
            scene.frame_set(current, subframe=subframe)


class ObjectReader:
    """Reads objects; each evaluated mesh once."""

    def __init__(self, scene, graph):
        self.scene, self.graph = scene, graph
        self.unit = unit_length(scene)
        self.meshes = {}
        self._geometry = GeometryCache()

    def geometry(self, source, who):
        """(Geometry, key of the mesh) of an object, evaluated or itself; see GeometryCache."""
        return self._geometry.read(source, who)

    def body(self, ob):
        """BodyReading of a body at the current frame."""
        evaluated = evaluated_of(ob, self.graph)
        if is_dynamic(ob.stiction) and not follows(ob.stiction):
            refuse_fixed_transform(self.scene, ob)
        if ob.stiction.shape != "COMPOUND":
            return self._one(ob, evaluated)
        children = tuple(self._one(child, evaluated_of(child, self.graph)) for child in parts_of(ob))
        return self._one(ob, evaluated, children, with_mesh=False)

    def poured(self, ob):
        """BodyReading of a body as an emitter pours it, of a mesh that takes no part itself."""
        one = self.body(ob)
        one.settings.type, one.settings.kinematic, one.settings.release = "ACTIVE", False, False
        return one

    def _one(self, ob, evaluated, children=(), with_mesh=True):
        key = ""
        if with_mesh:
            # The modifiers of a deformable body come after its motion, which is played first in the stack.
            source = ob if is_deformable(ob.stiction) and not follows(ob.stiction) else evaluated
            geometry, key = self.geometry(source, f"object {ob.name!r}")
            self.meshes[key] = geometry.vertices, geometry.triangles
        signs, scale = own_scale_of(evaluated)
        settings = plain_values(ob.stiction, RESULTS)
        if ob.stiction.elastic.use:
            _add_groups(ob, settings["elastic"])
        return BodyReading(
            name=ob.name, session_uid=ob.session_uid, settings=settings_of(settings),
            matrix=np.array(evaluated.matrix_world, dtype=float), signs=signs, scale=scale,
            mesh=key, children=children,
        )  # fmt: skip


def _add_groups(ob, elastic):
    """Add to a deformable object's plain settings what its vertex groups hold: pins, goals, weights of mass and
    stiffness; and the boxes of what it is struck at."""
    mesh = mesh_of(ob)
    elastic["struck_boxes"] = struck_boxes(ob.stiction.elastic)
    if elastic["use_goal"]:
        elastic["pins"], elastic["goals"] = _goals_of(ob, mesh)
    elif elastic["pin_group"]:
        elastic["pins"] = pinned_points(ob, mesh, elastic["pin_group"])
    if elastic["mass_group"]:
        elastic["heavier"] = weighted_points(ob, mesh, elastic["mass_group"])
    if elastic["stiffness_group"]:
        elastic["stiffness"] = weighted_points(ob, mesh, elastic["stiffness_group"])


def struck_boxes(elastic):
    """Boxes [[low, high], ...] in the world of the objects that mark where a body of a few modes is struck."""
    if elastic.motion == "FULL" or elastic.struck is None:
        return []
    marks = [one for one in elastic.struck.all_objects if one.type in ("MESH", "EMPTY")]
    return [box_of(one).tolist() for one in sorted(marks, key=lambda one: one.name)]


def _goals_of(ob, mesh):
    """(places of the vertices that are held, rows [x, y, z, weight] of all of them) of an object with goals, in its own
    coordinates; None for a group that is not there."""
    weights = goal_weights(ob, mesh)
    if weights is None:
        return None, None
    places = vertices_of(mesh)
    return places[held(weights, ob.stiction.elastic)].tolist(), np.column_stack([places, weights]).tolist()


def own_scale_of(evaluated):
    """Signs (3,) of an object's scale, and the scale (3,) itself where nothing stands before it (else None)."""
    scale = np.array(evaluated.scale, dtype=float) * np.array(evaluated.delta_scale, dtype=float)
    alone = evaluated.parent is None and not evaluated.constraints
    return np.sign(scale), scale if alone else None


def evaluated_of(ob, graph):
    """The object as a CurrentGraph sees it; SceneError if it does not."""
    evaluated = ob.evaluated_get(graph.now())
    if not evaluated.is_evaluated:
        raise SceneError(
            f"object {ob.name!r}: is disabled in the viewport or its collection is; enable it or remove the body"
        )
    return evaluated


def _acts(ob, constraint):
    """Whether a constraint moves an object at any frame."""
    data, path = ob.animation_data, f'constraints["{constraint.name}"].influence'
    keyed = data and any(one.data_path == path for one in (*curves_of(data), *data.drivers))
    return not constraint.mute and bool(constraint.influence > 0 or keyed)


def refuse_constraints(ob, why=""):
    """SceneError naming a constraint that acts on an object; why: words after it."""
    for constraint in ob.constraints:
        if _acts(ob, constraint):
            raise SceneError(f"object {ob.name!r}: has the constraint {constraint.name!r}{why}; mute or remove it")


def refuse_fixed_transform(scene, ob):
    """SceneError for what would move the object in spite of its keyframes."""
    who = f"object {ob.name!r}"
    if ob.library is not None:
        raise SceneError(f"{who}: is linked from {ob.library.filepath}; make it local")
    # Where they have a rigid body it begins, or is held, and the bake mutes them; a parent cannot be told from them.
    if ob.parent is not None or is_deformable(ob.stiction):
        refuse_constraints(ob, " beside " + ("being Deformable" if ob.parent is None else "its parent"))
    world = scene.rigidbody_world
    if ob.rigid_body and ob.rigid_body.type == "ACTIVE" and not ob.rigid_body.kinematic and world and world.enabled:
        raise SceneError(f"{who}: is Active in Blender's own Rigid Body too; press Import Rigid Body or remove that")
    drivers = ob.animation_data.drivers if ob.animation_data else ()
    for driver in drivers:
        if driver.data_path.startswith(("location", "rotation")):
            raise SceneError(f"{who}: has a driver on {driver.data_path}; remove it, or set it to Animated")
