"""Distances and times of impact by coal and ipctk, in an environment of their own: JSON in, JSON out.

A job is {"kind": "convex", "a": solid, "b": solid}, {"kind": "meshes", "a": surface, "b": surface, "reach": m} or
{"kind": "ccd", ..., "move": (3,)}. A solid is {"sphere": radius, "at": (3,)} or {"points": (V,3), "triangles": (T,3)},
a surface the latter; all in world axes. Answers are numbers: signed distance [m], least distance [m] (the reach if it
is more), share of the move of b that is free of collision.
"""

import json
import sys

import numpy as np


def coal_solid(solid):
    import coal

    if "sphere" in solid:
        return coal.Sphere(solid["sphere"]), coal.Transform3s(np.eye(3), np.array(solid["at"], dtype=float))
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(np.array(point, dtype=float) for point in solid["points"])
    triangles.extend(coal.Triangle(*map(int, triangle)) for triangle in solid["triangles"])
    return coal.Convex(points, triangles), coal.Transform3s()


def convex(job):
    import coal

    (a, pose_a), (b, pose_b) = coal_solid(job["a"]), coal_solid(job["b"])
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    return float(coal.distance(a, pose_a, b, pose_b, request, result))


def collision_mesh(job):
    """(CollisionMesh of both surfaces, its vertices, how many of them are those of a)."""
    import ipctk

    points = np.array(job["a"]["points"] + job["b"]["points"], dtype=float, order="F")
    count = len(job["a"]["points"])
    faces = np.array(job["a"]["triangles"], dtype=np.int32)
    faces = np.asfortranarray(np.concatenate((faces, np.array(job["b"]["triangles"], dtype=np.int32) + count)))
    ends = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    return ipctk.CollisionMesh(points, np.asfortranarray(np.unique(ends, axis=0)), faces), points, count


def meshes(job):
    import ipctk

    mesh, points, count = collision_mesh(job)
    candidates = ipctk.Candidates()
    candidates.build(mesh, points, inflation_radius=job["reach"])
    least = job["reach"]
    for pair in [*candidates.fv_candidates, *candidates.ee_candidates]:
        vertices = [int(v) for v in pair.vertex_ids(mesh.edges, mesh.faces)[: pair.num_vertices()]]
        if len({v < count for v in vertices}) == 2:
            least = min(least, float(np.sqrt(pair.compute_distance(pair.dof(points, mesh.edges, mesh.faces)))))
    return least


def ccd(job):
    import ipctk

    mesh, points, count = collision_mesh(job)
    after = points.copy(order="F")
    after[count:] += job["move"]
    return float(ipctk.compute_collision_free_stepsize(mesh, points, after))


KINDS = {"convex": convex, "meshes": meshes, "ccd": ccd}


def main():
    """Answer every job of standard input."""
    json.dump([KINDS[job["kind"]](job) for job in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
