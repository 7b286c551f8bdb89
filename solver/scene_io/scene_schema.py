"""Schema of the scene file, and a checker whose errors name the key."""

from ..base.refusal import SceneError

_NUMBER = {"type": "number"}
_VECTOR = {"type": "array", "items": _NUMBER, "length": 3}
_QUATERNION = {"type": "array", "items": _NUMBER, "length": 4}
_TEXT = {"type": "string"}
_LAYERS = {"type": "array", "items": _NUMBER}
_COEFFICIENTS = {
    "friction": _NUMBER, "friction_t": _NUMBER, "torsional_friction": _NUMBER, "restitution": _NUMBER,
    "tangential_restitution": _NUMBER, "law": _TEXT,
}  # fmt: skip

SHAPE_KEYS = {
    "box": {"size": _VECTOR},
    "sphere": {"radius": _NUMBER},
    "capsule": {"radius": _NUMBER, "length": _NUMBER},
    "cylinder": {"radius": _NUMBER, "length": _NUMBER},
    "convex_hull": {"vertices": {"type": "array", "items": _VECTOR}},
    "mesh": {
        "file": _TEXT, "scale": {"type": "any"}, "recognise": {"type": "boolean"}, "way_out": _TEXT,
        "voxel_size": _NUMBER, "thickness": _NUMBER, "triangle_count": _NUMBER,
    },
    "compound": {"parts": {"type": "array", "items": {"type": "object"}}},
}
# Keys that may be left out.
OPTIONAL_SHAPE_KEYS = {"mesh": set(SHAPE_KEYS["mesh"]) - {"file"}}
PART = {
    "type": "object",
    "required": ["shape"],
    "properties": {"shape": {"type": "object"}, "position": _VECTOR, "orientation": _QUATERNION},
}
SCENE_SCHEMA = {
    "type": "object",
    "required": ["stiction_scene", "bodies"],
    "properties": {
        "stiction_scene": {"type": "number"},
        "name": _TEXT,
        "description": _TEXT,
        "gravity": _VECTOR,
        "combine": _TEXT,
        "materials": {
            "type": "map",
            "values": {"type": "object", "properties": {"density": _NUMBER} | _COEFFICIENTS},
        },
        "pairs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["materials"],
                "properties": {"materials": {"type": "array", "items": _TEXT, "length": 2}} | _COEFFICIENTS,
            },
        },
        "bodies": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "shape"],
                "properties": {
                    "name": _TEXT,
                    "motion": _TEXT,
                    "material": _TEXT,
                    "shape": {"type": "object"},
                    "position": _VECTOR,
                    "orientation": _QUATERNION,
                    "velocity": _VECTOR,
                    "angular_velocity": _VECTOR,
                    "mass": {"type": "number", "null": True},
                    "release": {"type": "number", "null": True},
                    "inertia": {"type": "array", "null": True},
                    "layers": _LAYERS,
                    "collides_with": _LAYERS | {"null": True},
                    "keys": {
                        "type": "object",
                        "null": True,
                        "required": ["times", "positions", "orientations"],
                        "properties": {
                            "times": {"type": "array", "items": _NUMBER},
                            "positions": {"type": "array", "items": _VECTOR},
                            "orientations": {"type": "array", "items": _QUATERNION},
                        },
                    },
                },
            },
        },
        "joints": {"type": "array"},
        "excluded_pairs": {"type": "array", "items": {"type": "array", "items": _TEXT, "length": 2}},
        "notes": {"type": "array", "items": _TEXT},
        "settings": {"type": "map", "values": {"type": "any"}},
    },
}

_KINDS = {"boolean": bool, "object": dict, "map": dict, "array": list, "string": str, "number": (int, float)}


def check_schema(value, schema=None, key="scene"):
    """Raise SceneError naming the key where `value` does not fit `schema` (default: SCENE_SCHEMA)."""
    schema = SCENE_SCHEMA if schema is None else schema
    kind = schema["type"]
    if kind == "any" or (value is None and schema.get("null")):
        return
    if not isinstance(value, _KINDS[kind]) or (isinstance(value, bool) and kind != "boolean"):
        raise SceneError(f"{key}: is {value!r}; give {_describe(schema)}")
    if kind == "array":
        _check_array(value, schema, key)
    elif kind == "map":
        for name, entry in value.items():
            check_schema(entry, schema["values"], f"{key}.{name}")
    elif kind == "object" and "properties" in schema:
        _check_object(value, schema, key)


def _describe(schema):
    length = schema.get("length")
    words = {"object": "an object {...}", "map": "an object {...}", "string": "a text", "number": "a number"}
    words["boolean"] = "true or false"
    return words.get(schema["type"], f"a list of {length} values" if length else "a list")


def _check_array(value, schema, key):
    if "length" in schema and len(value) != schema["length"]:
        raise SceneError(f"{key}: has {len(value)} values; give {schema['length']}")
    for i, entry in enumerate(value):
        if "items" in schema:
            check_schema(entry, schema["items"], f"{key}[{i}]")


def _check_object(value, schema, key):
    for name in schema.get("required", ()):
        if name not in value:
            raise SceneError(f"{key}: has no {name!r}; add it")
    for name, entry in value.items():
        if name not in schema["properties"]:
            raise SceneError(f"{key}.{name}: unknown key; known are {', '.join(schema['properties'])}")
        check_schema(entry, schema["properties"][name], f"{key}.{name}")
