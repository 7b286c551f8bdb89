"""What deformable bodies put into a Model and its first State."""

import numpy as np

from ...base.late import late
from ...shapes import Mesh
from .. import rotation

# So that a scene of rigid bodies loads none of it.
build, nodes, surfaces = (late(name, __package__) for name in (".build", ".nodes", ".surfaces"))


def node_starts(deformables):
    """First node (R+1,) of each body among all nodes; deformables: one a body, None for rigid ones."""
    counts = [0 if body is None else body.node_count for body in deformables]
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def build_deformables(bodies, materials, center, position, orientation):
    """Deformable of each body, None for rigid ones; center (R,3) in the shape frames, position (R,3) and
    orientation (R,4) are made to fit the nodes."""
    made = []
    for i, body in enumerate(bodies):
        if body.elastic is None:
            made.append(None)
            continue
        turn = rotation.matrix(orientation[i : i + 1])[0]
        origin = position[i] - turn @ center[i]
        density = materials.materials[materials.index(body.material)].density
        made.append(build.build_deformable(body, density, origin, turn))
        position[i] = nodes.center_of(made[-1], made[-1].start)
        center[i] = (position[i] - origin) @ turn
    return tuple(made)


def touching_shapes(bodies, deformables, center, position, orientation):
    """The shape of each body that touches others: of deformable ones their surface."""
    shapes = []
    for i, (body, made) in enumerate(zip(bodies, deformables, strict=True)):
        if made is not None:
            turn = rotation.matrix(orientation[i : i + 1])[0]
            shapes.append(surfaces.surface_shape(i, made, position[i] - turn @ center[i], turn))
        elif body.shape.type == "tetrahedra":
            shapes.append(Mesh(*body.shape.surface()))
        else:
            shapes.append(body.shape)
    return tuple(shapes)


def soft_materials(model):
    """The Model in which deformable bodies have materials of their own: like theirs, but without torsional friction and
    restitution, which are for points of rigid bodies: patches of nodes turn and bounce by themselves."""
    if not model.soft.any():
        return model
    count, twice = len(model.law), (lambda table: np.tile(table, (2, 2) + (1,) * (table.ndim - 2)))
    mu, restitution, law = twice(model.mu), twice(model.restitution), twice(model.law)
    for side in (np.s_[count:], np.s_[:, count:]):
        mu[side][..., 2] = 0.0
        restitution[side] = 0.0
    return model.__class__(**{
        **{name: getattr(model, name) for name in model.__dataclass_fields__}, "mu": mu, "restitution": restitution,
        "law": law, "anisotropic": np.tile(model.anisotropic, 2), "material": model.material + count * model.soft,
    })  # fmt: skip


def first_state(model, state):
    """The State with the nodes of deformable bodies, who start with the velocities of a rigid one."""
    if not model.soft.any():
        return state
    state.nodes = nodes.first_nodes(model.elastic, state.twist, model.attachments.count)
    for i in np.flatnonzero(model.soft):
        span = model.span(i)
        state.twist[i] = nodes.rigid_part(model.elastic[i], state.nodes.position[span], state.nodes.velocity[span])
    return state


def surface_tables(model):
    """The surfaces of a Model with deformable bodies as a tuple for kernels."""
    return surfaces.surface_tables(model.surfaces, model.collision.meshes)


def surfaces_of(collision, elastic):
    """Surface of each body, None for rigid ones; collision: CollisionModel of the shapes from touching_shapes."""
    soft = any(body is not None for body in elastic)
    return surfaces.surfaces_of(collision, elastic) if soft else len(elastic) * (None,)
