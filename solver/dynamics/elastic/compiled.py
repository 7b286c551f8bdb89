"""What deformable bodies put into a Model and its first State."""

import numpy as np

from ...shapes import Mesh
from .. import rotation
from .build import build_deformable
from .nodes import center_of, first_nodes, rigid_part
from .surfaces import surface_shape, surface_tables, surfaces_of


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
        made.append(build_deformable(body, density, origin, turn))
        position[i] = center_of(made[-1], made[-1].start)
        center[i] = (position[i] - origin) @ turn
    return tuple(made)


def touching_shapes(bodies, deformables, center, position, orientation):
    """The shape of each body that touches others: of deformable ones their surface."""
    shapes = []
    for i, (body, made) in enumerate(zip(bodies, deformables, strict=True)):
        if made is not None:
            turn = rotation.matrix(orientation[i : i + 1])[0]
            shapes.append(surface_shape(i, made, position[i] - turn @ center[i], turn))
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
    state.nodes = first_nodes(model.elastic, state.twist, model.attachments.count)
    for i in np.flatnonzero(model.soft):
        span = model.span(i)
        state.twist[i] = rigid_part(model.elastic[i], state.nodes.position[span], state.nodes.velocity[span])
    return state


__all__ = ["build_deformables", "first_state", "soft_materials", "surface_tables", "surfaces_of",
           "touching_shapes"]
