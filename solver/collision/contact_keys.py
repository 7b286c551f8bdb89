"""How the key of a contact is made, in one place: 63 bits that name the features that meet, alike in every step.

| kind of pair | number |
|---|---|
| convex cores | kind << 42, feature of a << 21, feature of b |
| meshes | kind << 58, feature of a << 29, feature of b |
| tetrahedra | number of a << 34, number of b << 6, corner or side |

The number is combined by exclusive or with the pair's salt, which tells the parts of compound bodies apart. Bits beyond
the numbers mark what is no plain pair of features.
"""

import numpy as np

from ..jit import inner

# Bits of a feature's number in a convex core and in a mesh.
CORE_BITS, MESH_BITS = 21, 29
# Kinds of pairs in keys of meshes; of contacts between curves of two surfaces a pair has at most one.
FACE_VERTEX, VERTEX_FACE, EDGE_EDGE, EDGE_VERTEX, VERTEX_EDGE, VERTEX_VERTEX, CUT = 1, 2, 3, 4, 5, 6, 7
# Bits of the number of a tetrahedron, and of its corners and sides.
TETRAHEDRON_BITS, SIDE_BITS = 28, 6
# Set where features had another contact in an earlier search of the same step, a bit further up in each search.
FOUND_AGAIN = 1 << 45
# Set in the key of a contact that a pair of features will have elsewhere than the one it has now.
ELSEWHERE = 1 << 46
# Set in the key of a contact of a patch's inner ring, and in no other: numbers and salts have 62 bits.
INNER_KEY = 1 << 62
# Set until hidden contacts are dropped: an overlap that another face may explain. Never in a key that leaves a pair.
DOUBT = np.int64(1) << 62
# Likewise: an edge beyond its end, inside its solid. It explains no overlap of others.
BEYOND = np.int64(-1) << 63


@inner
def feature_key(kind, of_a, of_b):
    """Key of a pair of features of convex cores."""
    return (kind << (2 * CORE_BITS)) | (of_a << CORE_BITS) | of_b


@inner
def mesh_key(kind, of_a, of_b):
    """Key of a pair of features from their numbers in their meshes."""
    return (np.int64(kind) << (2 * MESH_BITS)) | (np.int64(of_a) << MESH_BITS) | np.int64(of_b)


@inner
def tetrahedra_key(of_a, of_b, side):
    """Key of a corner or side of a pair of tetrahedra from their numbers in their shapes."""
    return (np.int64(of_a) << (TETRAHEDRON_BITS + SIDE_BITS)) | (np.int64(of_b) << SIDE_BITS) | side


def mesh_features(key):
    """(kind, feature of a, feature of b) of keys without salt that `mesh_key` made."""
    mask = (np.int64(1) << MESH_BITS) - 1
    return (key >> (2 * MESH_BITS)) & 15, (key >> MESH_BITS) & mask, key & mask


# The same in kernels.
features_of_key = inner(mesh_features)


@inner
def pair_salt(salt_a, salt_b):
    """Salt of a pair of colliders from theirs; another where they change places."""
    return salt_a ^ (salt_b >> 1)


def numpy_pair_salt(salt_a, salt_b):
    """`pair_salt` of arrays."""
    return salt_a ^ (salt_b >> 1)
