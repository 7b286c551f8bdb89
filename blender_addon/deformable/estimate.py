"""How many tetrahedra a deformable body will have, and how long its run will take, before it is simulated."""

from ...solver.base.progress import clock
from ...solver.meshes.lattice_fill import CELL_TETS, USUAL_TETS
from ..exporting.export import frame_range
from ..exporting.shape_choice import THICKENED

# CPU seconds that a step of a soft cube takes a tetrahedron, an impact among the steps: 432 to 13,200 tetrahedra,
# 1.9e-4 to 2.0e-4.
SECONDS = 2e-4


def tetrahedra(ob):
    """(number, whether that is the most): of the box around the object where a size is given."""
    elastic = ob.stiction.elastic
    if ob.stiction.shape == THICKENED and ob.type == "MESH":
        # Three in the prism of each triangle.
        return 3 * sum(len(face.vertices) - 2 for face in ob.data.polygons), False
    if elastic.element_size <= 0.0:
        return USUAL_TETS, False
    x, y, z = ob.dimensions
    return max(1, round(CELL_TETS * x * y * z / elastic.element_size**3)), True


def sentence(scene, ob):
    """What a person reads beside the button."""
    count, most = tetrahedra(ob)
    said = f"{'Up to' if most else 'About'} {count:,} tetrahedra"
    elastic = ob.stiction.elastic
    nodes = "" if elastic.element == "T4" else ", of ten nodes each"
    if elastic.motion == "MODES":
        return f"{said}{nodes}, which move in {elastic.modes} modes"
    if nodes:
        return said + nodes
    start, end = frame_range(scene)
    steps = (end - start) * scene.stiction.steps_per_frame
    return f"{said}: {'up to' if most else 'about'} {clock(SECONDS * count * steps)} for {end - start + 1} frames"
