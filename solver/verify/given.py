"""What the scene of a trajectory says, entry by entry: each is known, of its kind and finite, or refused by name."""

import numpy as np

# Sizes that each type of shape has.
SOLIDS = {"sphere": ("radius",), "capsule": ("radius", "length"), "cylinder": ("radius", "length"), "box": ("sides",),
          "mesh": ("vertices", "triangles")}  # fmt: skip
# Corners of a box of sides 2 and its triangles, counter-clockwise from outside.
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
TRIANGLES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6],
             [0, 6, 4], [1, 5, 7], [1, 7, 3]]  # fmt: skip


class NotVerifiable(ValueError):
    """The folder holds no run that can be checked; one sentence that says why and what to do."""


def refuse(what):
    """Raise, with what is wrong."""
    raise NotVerifiable(f"{what}; docs/verify.md has the format")


def are_numbers(found):
    """Whether the entries (...) of an array are finite numbers, small enough that their squares are finite, too."""
    return np.abs(found, dtype=float) < 1e75 if found.dtype.kind in "iuf" else np.zeros(found.shape, dtype=bool)


def are_units(found):
    """Whether vectors (...,n) have length 1 (...), to the digits of single precision."""
    return np.abs(np.linalg.norm(found, axis=-1) - 1.0) < 1e-5


class Given:
    """An object of JSON whose entries are among those `known`; `owner` is what refusals call it."""

    def __init__(self, said, owner, known):
        self.said, self.owner = said, owner
        if not isinstance(said, dict):
            refuse(f"{owner} is {said!r:.60}, not an object with named entries")
        for key in sorted(said.keys() - set(known)):
            refuse(f"{owner} has {key!r}, which is not known; known are {', '.join(known)}")

    def __contains__(self, key):
        return key in self.said

    def __getitem__(self, key):
        return self.said[key] if key in self.said else refuse(f"{self.owner} has no {key!r}")

    def wrong(self, key, wanted):
        """Refuse an entry, which is not what is wanted."""
        refuse(f"{key!r} of {self.owner} is {self.said[key]!r:.60}, not {wanted}")

    def text(self, key, default):
        """A text; `default`, if it is one, where there is none."""
        found = default if default is not None and key not in self else self[key]
        return found if isinstance(found, str) else self.wrong(key, "a text")

    def items(self, key, count=None):
        """A list, of so many entries; nothing where there is none."""
        found = self[key] if count else self.said.get(key, [])
        if not isinstance(found, list) or len(found) != (count or len(found)):
            self.wrong(key, f"a list of {count}" if count else "a list")
        return found

    def numbers(self, key, *shapes, default=None, low=-np.inf):
        """Finite numbers of one of some shapes, of which -1 fits any size, and above, or where `low` is an integer not
        below, this; `default`, if there is one, where there are none."""
        if default is not None and key not in self:
            return default
        said = self[key]
        try:
            found = np.array(said)
        except ValueError:
            found = np.array(None)
        fits = any(found.ndim == len(shape) and all(size in (-1, has) for size, has in
                   zip(shape, found.shape, strict=True)) for shape in shapes)  # fmt: skip
        if not (fits and np.all(are_numbers(found)) and np.all(found >= low if isinstance(low, int) else found > low)):
            sizes = (" x ".join("any" if size < 0 else str(size) for size in shape) for shape in shapes)
            wanted = " or ".join(f"{size} finite numbers" if size else "a finite number" for size in sizes)
            bound = "" if np.isinf(low) else f" of {low} or more" if isinstance(low, int) else f" above {low:g}"
            self.wrong(key, wanted + bound)
        return found.astype(float)

    def units(self, key, *shapes, default):
        """Vectors of length 1."""
        found = self.numbers(key, *shapes, default=default)
        return found if np.all(are_units(found)) else self.wrong(key, "of length 1")


def named(said, kind, known):
    """An object of JSON of a kind, which has a name."""
    name = said.get("name") if isinstance(said, dict) else None
    given = Given(said, f"{kind} {name!r}" if isinstance(name, str) else f"a {kind}", known)
    given.text("name", None)
    return given


def solid(said, name):
    """A shape of the body of a name, as recording.json has it."""
    owner = f"a shape of body {name!r}"
    kind = Given(said, owner, said).text("type", None)
    if kind not in SOLIDS:
        refuse(f"body {name!r} has a shape {kind!r}; known are {', '.join(SOLIDS)}")
    given = Given(said, f"the {kind} of body {name!r}", ("type", "position", "orientation", *SOLIDS[kind]))
    out = {"type": kind, "position": given.numbers("position", (3,), default=np.zeros(3)),
           "orientation": given.units("orientation", (4,), default=np.array([1.0, 0, 0, 0]))}  # fmt: skip
    if kind == "box":
        return out | {"vertices": 0.5 * CORNERS * given.numbers("sides", (3,), low=0.0), "triangles": TRIANGLES}
    if kind == "mesh":
        return out | dict(zip(SOLIDS[kind], _mesh(given), strict=True))
    out["radius"] = float(given.numbers("radius", (), low=0.0))
    if kind != "sphere":
        out["length"] = float(given.numbers("length", (), low=0 if kind == "capsule" else 0.0))
    return out


def _mesh(given):
    """Vertices (n,3) and triangles (t,3) that enclose a volume, seen counter-clockwise from outside."""
    x, faces = given.numbers("vertices", (-1, 3)), given.numbers("triangles", (-1, 3), low=0).astype(int)
    if np.any(faces != given.said["triangles"]) or np.any(faces >= len(x)):
        given.wrong("triangles", f"rows of vertices, from 0 to {len(x) - 1}")
    edges = np.concatenate([faces, np.roll(faces, -1, axis=1)], axis=0).reshape(2, -1).T.tolist()
    if sorted(edges) != sorted([b, a] for a, b in edges):
        refuse(f"{given.owner} is not closed: each edge has two triangles, which pass it in opposite directions")
    a, b, c = x[faces].transpose(1, 0, 2)
    if not np.einsum("fi,fi->", a - x.mean(axis=0), np.cross(b - x.mean(axis=0), c - x.mean(axis=0))) > 0:
        refuse(f"{given.owner} has no volume, or its triangles are seen clockwise from outside")
    return x, faces


def inertia(given):
    """Moments and products of inertia (3,3) of a body."""
    found = given.numbers("inertia", (3,), (3, 3))
    found = np.diag(found) if found.ndim == 1 else found
    if not np.allclose(found, found.T, rtol=1e-9, atol=0.0) or np.linalg.eigvalsh(found)[0] <= 0:
        given.wrong("inertia", "symmetric with moments above 0")
    return found


def joint(said, number):
    """A joint as recording.json has it; `number` gives the row of the body of a name."""
    given = named(said, "joint", ("name", "type", "bodies", "anchors", "frames", "motor"))
    ends = [number(one) for one in given.items("bodies", 2)]
    if ends[0] == ends[1]:
        given.wrong("bodies", "two bodies, or one and 'world'")
    if not isinstance(said.get("motor", False), bool):
        given.wrong("motor", "true or false")
    frames = given.numbers("frames", (2, 3, 3), default=np.tile(np.eye(3), (2, 1, 1)))
    if not np.allclose(frames @ frames.transpose(0, 2, 1), np.eye(3), atol=1e-5) or np.any(np.linalg.det(frames) < 0):
        given.wrong("frames", "of right-handed axes of length 1, square to each other")
    return {"name": said["name"], "type": given.text("type", "fixed"), "ends": ends, "frames": frames,
            "anchors": given.numbers("anchors", (2, 3)), "motor": said.get("motor", False)}  # fmt: skip
