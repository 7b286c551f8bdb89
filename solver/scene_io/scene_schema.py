"""Schema of the scene file: JSON Schema, draft 7, put together from parts, and a check whose errors name the key.

Each part's "description" says what to give; an error ends with it. New keys: a property in BODY or in SCENE_SCHEMA, or
a shape in SHAPE_KEYS, each with a schema of its own. `docs/scene.schema.json` is this schema, written out.
"""

import dataclasses
from functools import cache

from ..base.refusal import SceneError
from ..dynamics.joints import JOINTS
from ..laws.elastic_laws import ELEMENTS, LAWS
from ..laws.friction_laws import FRICTION_LAWS
from ..materials import COMBINE_RULES
from ..meshes.meshers import MESHERS
from ..meshes.repairs import REPAIRS
from ..options import kind_of
from ..scene import Motion

MOST_SHOWN = 80  # characters of a wrong value in a sentence


def text(description="a text", **more):
    """A text that is not empty."""
    return {"type": "string", "minLength": 1, "description": description, **more}


def one_of(names):
    """One of some texts."""
    return {"enum": [str(name) for name in names]}


def numbers(count, description=None):
    """A list of `count` numbers."""
    return {"type": "array", "items": NUMBER, "minItems": count, "maxItems": count,
            "description": description or f"a list of {count} numbers"}  # fmt: skip


def list_of(item, description="a list", **more):
    """A list whose entries fit `item`."""
    return {"type": "array", "items": item, "description": description, **more}


def record(properties, required=(), description="an object {...}"):
    """An object with these keys and no others."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False,
            "description": description}  # fmt: skip


def or_null(schema):
    """The same, or null."""
    if "type" in schema:
        described = schema.get("description", schema["type"]) + " or null"
        return schema | {"type": [schema["type"], "null"], "description": described}
    return {"anyOf": [schema, {"type": "null"}], "description": schema.get("description", "a value") + " or null"}


NUMBER = {"type": "number", "description": "a number"}
WHOLE = {"type": "integer", "description": "a whole number"}
FLAG = {"type": "boolean", "description": "true or false"}
TEXT = {"type": "string", "description": "a text"}
VECTOR, QUATERNION = numbers(3), numbers(4)
PLACE = {"position": VECTOR, "orientation": QUATERNION}
LAYERS = list_of(WHOLE | {"minimum": 1, "maximum": 32, "description": "a whole number from 1 to 32"})
PAIR_OF_NAMES = list_of(text(), "a list of 2 texts", minItems=2, maxItems=2)

COEFFICIENTS = {
    "friction": NUMBER, "friction_t": NUMBER, "torsional_friction": NUMBER, "restitution": NUMBER,
    "tangential_restitution": NUMBER, "law": one_of(info.key for info in FRICTION_LAWS.values()),
}  # fmt: skip
MATERIAL = record({"density": NUMBER} | COEFFICIENTS)
PAIR = record({"materials": PAIR_OF_NAMES} | COEFFICIENTS, ["materials"])

ANY_SHAPE = {"$ref": "#/definitions/shape"}
# Keys of each shape; those in OPTIONAL_SHAPE_KEYS may be left out.
SHAPE_KEYS = {
    "box": {"size": VECTOR},
    "sphere": {"radius": NUMBER},
    "capsule": {"radius": NUMBER, "length": NUMBER},
    "cylinder": {"radius": NUMBER, "length": NUMBER},
    "convex_hull": {"vertices": list_of(VECTOR)},
    "mesh": {
        "file": text(), "scale": {"anyOf": [NUMBER, VECTOR], "description": "a number or three, none of them 0"},
        "recognise": FLAG, "repair": one_of(REPAIRS),
        **{way.option: NUMBER for way in REPAIRS.values() if way.option},
    },
    "tetrahedra": {"vertices": list_of(VECTOR), "tets": list_of(list_of(WHOLE, minItems=4, maxItems=4)),
                   "file": text()},
    "compound": {"parts": list_of(record({"shape": ANY_SHAPE} | PLACE, ["shape"]))},
}  # fmt: skip
OPTIONAL_SHAPE_KEYS = {"mesh": set(SHAPE_KEYS["mesh"]) - {"file"}, "tetrahedra": set(SHAPE_KEYS["tetrahedra"])}


def _shape():
    """Any shape: which keys it has follows from its type."""
    branches = [
        {"if": {"properties": {"type": {"const": kind}}, "required": ["type"]},
         "then": record({"type": {}} | keys, [key for key in keys if key not in OPTIONAL_SHAPE_KEYS.get(kind, ())])}
        for kind, keys in SHAPE_KEYS.items()
    ]  # fmt: skip
    return {"type": "object", "required": ["type"], "properties": {"type": one_of(SHAPE_KEYS)}, "allOf": branches,
            "description": 'an object as {"type": "box", "size": [1, 1, 1]}'}  # fmt: skip


INERTIA = {"anyOf": [VECTOR, list_of(VECTOR, minItems=3, maxItems=3)],
           "description": "three principal moments or a 3x3 matrix [kg m^2]"}  # fmt: skip
KEYED_POSES = record(
    {"times": list_of(NUMBER), "positions": list_of(VECTOR), "orientations": list_of(QUATERNION)},
    ["times", "positions", "orientations"],
)
NUMBER_OR_EACH = {"anyOf": [NUMBER, list_of(NUMBER)], "description": "a number, or one for each tetrahedron"}
PRESSURE = {"anyOf": [NUMBER, list_of(numbers(2), "rows of a time and a pressure", minItems=1)],
            "description": "a number, or rows of a time and a pressure"}  # fmt: skip
BOX = list_of(VECTOR, "a list of two corners", minItems=2, maxItems=2)
REDUCTION = record({"modes": WHOLE, "derivatives": WHOLE, "spin": FLAG, "error": NUMBER, "dents": FLAG,
                    "damping_ratio": NUMBER, "attachments": list_of(record({"box": BOX}, ["box"]))})  # fmt: skip
ELASTIC = record({
    "law": one_of(LAWS), "young": NUMBER_OR_EACH, "poisson": NUMBER_OR_EACH, "damping": numbers(2),
    "element": one_of(ELEMENTS), "element_size": or_null(NUMBER), "mesher": one_of(MESHERS),
    "self_contact": FLAG, "bent": FLAG, "pressure": PRESSURE, "inflated": list_of(record({"box": BOX}, ["box"])),
    "pins": list_of(record({"box": BOX, "points": list_of(VECTOR), "times": list_of(NUMBER),
                            "paths": list_of(list_of(VECTOR))})),
    "stiffness_points": list_of(numbers(4, "a place and a factor")),
    "mass_points": list_of(numbers(4, "a place and a factor")),
    "goals": record({"points": list_of(numbers(5, "a place, a stiffness [1/s^2] and a damping [1/s]")),
                     "times": list_of(NUMBER), "paths": list_of(list_of(VECTOR))}, ["points"]),
    "reduction": or_null(REDUCTION), "start": list_of(VECTOR),
})  # fmt: skip
BODY = {
    "name": text(), "motion": one_of(Motion), "material": text(), "shape": ANY_SHAPE, **PLACE,
    "velocity": VECTOR, "angular_velocity": VECTOR, "mass": or_null(NUMBER), "inertia": or_null(INERTIA),
    "center_of_mass": or_null(VECTOR),
    "layers": LAYERS, "collides_with": or_null(LAYERS), "keys": or_null(KEYED_POSES),
    "release": or_null(NUMBER), "switches": list_of(NUMBER, "a list of times"), "elastic": or_null(ELASTIC),
    "damping": or_null(numbers(2)), "asleep": FLAG,
}  # fmt: skip


CORNERS = numbers(2, "two corners, three numbers each") | {"items": VECTOR}
GATE = record({"name": text(), "body": text(), "time": NUMBER, "speed": or_null(NUMBER)}, ["name", "body"])
EMITTER = record(
    {
        "name": text(), "shapes": list_of(ANY_SHAPE, "a list of at least one shape", minItems=1), "box": CORNERS,
        "count": WHOLE, "rate": NUMBER, "material": text(), "start": NUMBER, "weights": or_null(list_of(NUMBER)),
        "size_spread": NUMBER, "turned": FLAG, "velocity": VECTOR, "seed": WHOLE,
        "orientations": or_null(list_of(QUATERNION)),
    },
    ["name", "shapes", "box", "count", "rate"],
)  # fmt: skip
COUNTER = record({"name": text(), "point": VECTOR, "normal": VECTOR}, ["name", "point"])
SINK = record({"name": text(), "box": CORNERS}, ["name", "box"])
ATTACHMENT = record({"bodies": PAIR_OF_NAMES, "box": CORNERS}, ["bodies", "box"])


def _by_coordinate(schema):
    """What a joint's coordinate takes, or a map of it by the names of coordinates."""
    description = schema["description"] + ", or an object of them by coordinate"
    each = {"type": "object", "additionalProperties": schema, "propertyNames": {"enum": list(COORDINATES)}}
    return {"anyOf": [schema, each], "description": description}


COORDINATES = ("x", "y", "z", "rx", "ry", "rz", "swing", "twist", "d")
RANGE = {"type": "array", "items": or_null(NUMBER), "minItems": 2, "maxItems": 2,
         "description": "two numbers, null for no limit on a side"}  # fmt: skip
KEYED = record({"times": list_of(NUMBER), "values": list_of(NUMBER)}, ["times", "values"])
TARGET = {"anyOf": [NUMBER, KEYED], "description": "a number, or an object of times and values"}
MOTOR = record({"velocity": TARGET, "max": NUMBER}, ["velocity"], "an object of velocity and max")
SERVO = record({"target": TARGET, "stiffness": NUMBER, "damping": NUMBER, "max": NUMBER}, ["target", "stiffness"],
               "an object of target, stiffness, damping and max")  # fmt: skip
SPRING = record({"stiffness": NUMBER, "damping": NUMBER, "rest": NUMBER}, ["stiffness"],
                "an object of stiffness, damping and rest")  # fmt: skip
BEARING = record({"friction": NUMBER, "radius": NUMBER}, ["friction"], "an object of friction and radius")
JOINT = {
    "name": text(), "type": one_of(JOINTS), "bodies": PAIR_OF_NAMES, "position": VECTOR, "axis": VECTOR,
    "axis2": VECTOR, "positions": list_of(VECTOR, "two points", minItems=2, maxItems=2),
    "limits": _by_coordinate({"anyOf": [RANGE, NUMBER], "description": RANGE["description"]}),
    "motor": _by_coordinate(MOTOR), "servo": _by_coordinate(SERVO), "spring": _by_coordinate(SPRING),
    "friction": _by_coordinate(NUMBER), "bearing": BEARING, "static_ratio": NUMBER,
    "breaking": NUMBER, "compliance": NUMBER, "collide": FLAG, "switches": list_of(NUMBER, "a list of times"),
    "assemble": FLAG,
    "joints": list_of(text(), "a list of 2 texts", minItems=2, maxItems=2), "ratio": NUMBER, "offset": NUMBER,
    "radius": NUMBER, "lead": NUMBER, "length": NUMBER,
    "free": list_of(one_of(COORDINATES[:6]), "a list of x y z rx ry rz"),
}  # fmt: skip


def settings_schema(options_class):
    """Schema of a scene's settings, from the fields of an option dataclass, which checks them itself."""
    plain = {bool: FLAG, int: WHOLE, float: NUMBER, str: text()}
    properties = {}
    for entry in dataclasses.fields(options_class):
        data, kind = entry.metadata, kind_of(entry)
        if kind is dict:
            properties[entry.name] = {"type": "object", "description": "an object {...}",
                                      "additionalProperties": {"type": ["number", "string", "boolean"]}}  # fmt: skip
            continue
        limits = {key: data[key] for key in ("minimum", "maximum") if data.get(key) is not None}
        schema = one_of(data["choices"]) if data.get("choices") else plain[kind] | limits
        properties[entry.name] = schema | {"title": data["doc"]}
    return record(properties)


SCENE_SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "Stiction scene file",
    **record(
        {
            "stiction_scene": {"const": 1}, "name": text(), "description": TEXT, "gravity": VECTOR,
            "combine": one_of(COMBINE_RULES),
            "materials": {"type": "object", "additionalProperties": MATERIAL, "propertyNames": {"minLength": 1},
                          "description": "an object {...}"},
            "pairs": list_of(PAIR), "bodies": list_of(record(BODY, ["name", "shape"])),
            "joints": list_of(record(JOINT, ["name", "type"])),
            "excluded_pairs": list_of(PAIR_OF_NAMES), "notes": list_of(TEXT),
            "settings": {"type": "object", "description": "an object {...}"},
            "gates": list_of(GATE), "emitters": list_of(EMITTER), "counters": list_of(COUNTER), "sinks": list_of(SINK),
            "attachments": list_of(ATTACHMENT),
        },
        ["stiction_scene", "bodies"],
    ),
    "definitions": {"shape": _shape()},
}  # fmt: skip


def published_schema(options_class):
    """SCENE_SCHEMA with the settings of a run spelled out, as in docs/scene.schema.json."""
    properties = SCENE_SCHEMA["properties"] | {"settings": settings_schema(options_class)}
    return SCENE_SCHEMA | {"properties": properties}


def check_schema(value):
    """Raise SceneError naming the key where a parsed scene file does not fit SCENE_SCHEMA."""
    try:
        sentence = _scene_misfit()(value)
    except RecursionError:
        raise SceneError("scene: nested too deeply to read; make its shapes flatter") from None
    if sentence:
        raise SceneError(sentence)


@cache
def _scene_misfit():
    return misfit(SCENE_SCHEMA, "scene")


def misfit(schema, root):
    """A function value -> the sentence on where the value called `root` does not fit a schema; None where it fits."""
    # Imported on first use: reading the tables must stay cheap.
    import fastjsonschema

    check = fastjsonschema.compile(schema, use_default=False)

    def sentence(value):
        try:
            check(value)
        except fastjsonschema.JsonSchemaValueException as error:
            return _sentence(error, root)
        return None

    return sentence


def _as(name, schema):
    """What to write for a key that is missing, to follow "add it"; "" where its schema does not say."""
    if "const" in schema:
        return f', as "{name}": {schema["const"]}'
    if "enum" in schema:
        return f", one of {', '.join(map(str, schema['enum']))}"
    return f": {schema['description']}" if "description" in schema else ""


def _sentence(error, root):
    """One sentence of what does not fit: the key, its value, what to give."""
    key = root + error.name.removeprefix("data")
    value, schema = error.value, error.definition
    if error.rule == "required":
        missing = next(name for name in error.rule_definition if name not in value)
        return f"{key}: has no {missing!r}; add it{_as(missing, schema.get('properties', {}).get(missing, {}))}"
    if error.rule == "additionalProperties":
        unknown = next(name for name in value if name not in schema["properties"])
        return f"{key}.{unknown}: unknown key; known are {', '.join(schema['properties'])}"
    if error.rule == "propertyNames":
        return f"{key}: has an empty name; give each entry a name"
    if error.rule in ("minItems", "maxItems") and isinstance(value, list):
        return f"{key}: has {len(value)} values; give {schema['description']}"
    shown = repr(value)
    shown = shown if len(shown) <= MOST_SHOWN else shown[:MOST_SHOWN] + "..."
    if error.rule == "enum":
        return f"{key}: is {shown}; choose one of {', '.join(map(str, error.rule_definition))}"
    if error.rule == "const":
        return f"{key}: is {shown}; this version reads {error.rule_definition}"
    if error.rule in ("minimum", "maximum"):
        low, high = schema.get("minimum", "-inf"), schema.get("maximum", "inf")
        return f"{key}: is {shown}; give a value in [{low}, {high}]"
    wanted = schema.get("description", "a value that fits docs/scene.schema.json")
    return f"{key}: is {shown}; give {wanted}"
