"""Deformable bodies: their meshes play a PC2 file through a Mesh Cache modifier, the first in the stack (behind
what deforms a mesh whose pins follow that), or get a shape key for each frame."""

from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np

from ...solver.runs.node_frames import of_body, read_constants, read_frames
from ..base import transforms
from ..base.files import blend_path
from ..deformable import stress
from ..deformable.embedding import carried, embed, world_vertices
from ..deformable.posed import place_after
from ..exporting.meshes import mesh_of
from . import shape_keys
from .base import Baker, ObjectFinder
from .point_cache import play, write_pc2_steps

# Key of objects: name of the bake's own modifier.
MARK = "stiction_soft_cache"


def deformable_names(export):
    """Names of the bodies of an export that are deformable."""
    return {one.name for one in export.reading.bodies if one.deformable}


def bake(scene, export, trajectory, frames, name):
    """Generator that writes the meshes of all deformable bodies and lets them play; returns sentences to show."""
    names = deformable_names(export)
    links = [link for link in export.links if link.name in names]
    if not links:
        return []
    pairs, warnings = ObjectFinder(scene.objects).pairs(links)
    pairs, other = _with_their_vertices(pairs, export.reading)
    warnings += other
    constants = read_constants(trajectory.folder)
    positions, _ = read_frames(trajectory.folder, trajectory.header, trajectory.count)
    for number, (link, ob) in enumerate(pairs):
        i = trajectory.names.index(link.name)
        path = Path(trajectory.folder) / f"deformable_{number:04d}.pc2"
        moved = _mesh_frames(ob, export.reading.by_name[link.name], export, constants, positions, i)
        if ob.stiction.elastic.plays_as == "KEYS":
            hindrance = shape_keys.hindrance(ob, len(positions))
            if not hindrance:
                yield from shape_keys.write(ob, moved, frames)
                continue
            warnings.append(hindrance)
        yield from write_pc2_steps(path, len(positions), moved)
        _attach(ob, path, int(round(frames[0])))
    return warnings


def _with_their_vertices(pairs, reading):
    """(pairs (link, object) that can play their motion, sentences on the others): vertices that pins followed are those
    that were read, and there have to be as many."""
    kept, said = [], []
    for link, ob in pairs:
        one = reading.by_name[link.name]
        count, now = len(reading.meshes[one.mesh][0]), len(mesh_of(ob).vertices)
        if one.follows and count != now:
            said.append(f"object {ob.name!r}: its mesh has {now} vertices and had {count} when the run began; its "
                        "motion was left out: bake again")  # fmt: skip
        else:
            kept.append((link, ob))
    return kept, said


def _mesh_frames(ob, one, export, constants, positions, body):
    """Yield places (1,V,3) of an object's own vertices, in its own coordinates, frame by frame."""
    span, places = hung_mesh(ob, one, export, constants, body)
    for row in range(len(positions)):
        yield places(row, positions[row, span])[None]


def hung_mesh(ob, one, export, constants, body):
    """(slice of a body's nodes among all, a function of (number of the frame, places (n,3) of these) -> places (V,3) of
    an object's own vertices in its own coordinates); one: its BodyReading."""
    span, own, tets = of_body(constants, body)
    middle = constants.get("middle")
    if middle is not None:
        middle = np.where(middle[own] >= 0, middle[own] - span.start, -1)
    hung = embed(world_vertices(ob, one, export.reading), constants["rest"][span], tets, middle)
    sampled = export.samples.world.get(one.name)

    def places(row, nodes):
        place = one.matrix if sampled is None else sampled[min(row, len(sampled) - 1)]
        back = transforms.affine_inverse(place)
        points = carried(hung, nodes.astype(float)) / export.unit
        return points @ back[:3, :3].T + back[:3, 3]

    return span, places


def _attach(ob, path, frame_start):
    place = place_after(ob)
    modifier = play(ob, blend_path(path), frame_start)
    ob[MARK] = modifier.name
    ob.modifiers.move(len(ob.modifiers) - 1, place)


def _cache(ob):
    """The modifier of a bake, None where there is none."""
    name = ob.get(MARK)
    return ob.modifiers.get(name) if name else None


def baked_objects(scene):
    """Objects of a scene whose meshes play a bake."""
    return [ob for ob in scene.objects if ob.get(MARK) or ob.get(shape_keys.MARK)]


def missing_caches(scene):
    """A sentence for each baked object whose cache file is gone: its mesh stands still without it."""
    said = []
    for ob in baked_objects(scene):
        modifier = _cache(ob)
        if modifier is not None and not Path(bpy.path.abspath(modifier.filepath)).is_file():
            said.append(f"{ob.name!r} does not move: its cache {modifier.filepath} is gone. Put it back, or bake again")
    return said


def clear(scene):
    """Generator that takes the caches away again; returns the number of objects and sentences to show."""
    objects = baked_objects(scene)
    yield
    for ob in objects:
        modifier = _cache(ob)
        if modifier is not None:
            ob.modifiers.remove(modifier)
        stress.remove(ob)
        if ob.get(MARK):
            del ob[MARK]
        if ob.get(shape_keys.MARK):
            shape_keys.clear(ob)
    return len(objects), []


@contextmanager
def at_rest(scene):
    """The meshes are as they were before the bake."""
    baked = baked_objects(scene)
    caches = [_cache(ob) for ob in baked]
    on = [modifier for modifier in caches if modifier is not None and modifier.show_viewport]
    keyed = [(ob, ob.show_only_shape_key, ob.active_shape_key_index) for ob in baked if ob.get(shape_keys.MARK)]
    for modifier in on:
        modifier.show_viewport = False
    for ob, *_ in keyed:
        ob.show_only_shape_key, ob.active_shape_key_index = True, 0
    try:
        yield
    finally:
        for modifier in on:
            modifier.show_viewport = True
        for ob, only, index in keyed:
            ob.show_only_shape_key, ob.active_shape_key_index = only, index


BAKER = Baker("deformables", bake, clear)
