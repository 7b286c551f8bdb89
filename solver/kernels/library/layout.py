"""How arguments and results of kernels lie in memory.

Types are those of a manifest's table: ["scalar", name], ["array", dtype, dimensions, layout], ["tuple", class or null,
places of its parts] or ["optional", place]. A plan says the same in numbers, for caller.c; `Plan` makes it.
"""

from typing import NamedTuple

# Of scalars: (size [bytes], type in C), in the order of caller.c.
SCALARS = {"int64": (8, "long long"), "uint64": (8, "unsigned long long"), "float64": (8, "double"),
           "bool": (1, "unsigned char"), "int32": (4, "int"), "int8": (1, "signed char"),
           "none": (8, "void *")}  # fmt: skip
# Numbers of numpy's types, which it promises to keep.
NUMPY = {"bool": 0, "int8": 1, "uint8": 2, "int32": 5, "int64": 7, "uint64": 8, "float32": 11, "float64": 12}
ITEM_SIZES = {"bool": 1, "int8": 1, "uint8": 1, "int32": 4, "int64": 8, "uint64": 8, "float32": 4, "float64": 8}
SCALAR, ARRAY, TUPLE, OPTIONAL = range(4)


class Measure(NamedTuple):
    """size and alignment [bytes], and number of scalars, of a value in memory."""

    size: int
    alignment: int
    scalars: int


def array_size(dimensions):
    """Size of numba's description of an array: owner, parent, items, item size, data, shape, strides [bytes]."""
    return 40 + 16 * dimensions


def aligned(offset, alignment):
    """The next offset that is a multiple of the alignment [bytes]."""
    return -(-offset // alignment) * alignment


def measure(table, place):
    """The Measure of a type."""
    kind, *rest = table[place]
    if kind == "scalar":
        size = SCALARS[rest[0]][0]
        return Measure(size, size, 1)
    if kind == "array":
        return Measure(array_size(rest[1]), 8, 5 + 2 * rest[1])
    parts = [measure(table, one) for one in (rest[1] if kind == "tuple" else rest)]
    if kind == "optional":
        # Whether there is a value.
        parts.append(Measure(1, 1, 1))
    size, widest = 0, 1
    for part in parts:
        size = aligned(size, part.alignment) + part.size
        widest = max(widest, part.alignment)
    return Measure(aligned(size, widest), widest, sum(part.scalars for part in parts))


class Plan:
    """Values one after the other. numbers: the plan; classes: "module:name" of the named tuples in it; size [bytes]."""

    def __init__(self, table):
        self._table, self.numbers, self.classes, self.size = table, [], [], 0

    def add(self, place):
        """Put a value of a type behind the others; returns its offset."""
        kind, *rest = self._table[place]
        size, alignment, _ = measure(self._table, place)
        begin = self.size = aligned(self.size, alignment)
        if kind == "scalar":
            self.numbers += [SCALAR, list(SCALARS).index(rest[0]), begin]
        elif kind == "array":
            dtype, dimensions, layout, readonly = rest
            self.numbers += [ARRAY, NUMPY[dtype], dimensions, ord(layout), ITEM_SIZES[dtype], begin, not readonly]
        elif kind == "tuple":
            name, parts = rest
            self.numbers += [TUPLE, len(self.classes) if name else -1, len(parts)]
            self.classes += [name] if name else []
            for part in parts:
                self.add(part)
        else:
            # Where it says whether there is a value, and how many numbers tell of the value.
            at = len(self.numbers)
            self.numbers += [OPTIONAL, begin + measure(self._table, rest[0]).size, 0]
            self.add(rest[0])
            self.numbers[at + 2] = len(self.numbers) - at - 3
        self.size = begin + size
        return begin
