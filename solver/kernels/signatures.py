"""The list of kernels and of the types of arguments they are called with, as JSON: `signatures.json` beside this file.

`make signatures` writes it, from what scenes, methods, options and tests call. It says what `stiction compile` compiles
and what a library holds, and how long each took beside the others.
"""

import importlib
import json
from pathlib import Path
from typing import NamedTuple

from numba.core import types

from .load import ALL
from .sources import PACKAGE

FILE = Path(__file__).with_name("signatures.json")
SCALARS = {str(kind): kind for kind in (types.none, types.boolean, types.int8, types.uint8, types.int32, types.int64,
                                        types.uint64, types.float32, types.float64)}  # fmt: skip


class Entry(NamedTuple):
    """A kernel for arguments of certain types.

    kernel: "module:name", the module below the package; arguments: numba's types; seconds: CPU time that compiling it
    took, after all before it in the list; uses: names of what reaches it, of those that can be compiled alone.
    """

    kernel: str
    arguments: tuple
    seconds: float
    uses: tuple

    def dispatcher(self):
        """The compiled function; None where the sources have it no more."""
        module, _, name = self.kernel.partition(":")
        try:
            return getattr(importlib.import_module(f"{PACKAGE}.{module}"), name, None)
        except ModuleNotFoundError:
            return None


def read(use=ALL):
    """All Entries of the list that a use needs, in the order in which they are compiled best."""
    given = json.loads(FILE.read_text())
    known = []
    for text in given["types"]:
        known.append(_decoded(text, known))
    found = [Entry(kernel, tuple(known[place] for place in arguments), seconds, tuple(uses))
             for kernel, arguments, seconds, uses in given["kernels"]]  # fmt: skip
    return [one for one in found if None not in one.arguments and use in (ALL, *one.uses)]


def write(entries):
    """Write the list."""
    table = Table()
    lines = [json.dumps([one.kernel, [table.place(kind) for kind in one.arguments], one.seconds, list(one.uses)])
             for one in entries]  # fmt: skip
    forms = [json.dumps(form) for form in table.forms]
    FILE.write_text('{"types": [\n' + ",\n".join(forms) + '\n],\n"kernels": [\n' + ",\n".join(lines) + "\n]}\n")


class Table:
    """Types in the order of their first use, those that a type is made of before it."""

    def __init__(self):
        self.forms, self._places = [], {}

    def place(self, kind):
        """Place of a type of numba; it is added where it is new."""
        if kind not in self._places:
            form = self._form(kind)
            self._places[kind] = len(self.forms)
            self.forms.append(form)
        return self._places[kind]

    def _form(self, kind):
        if isinstance(kind, types.Array):
            return ["array", str(kind.dtype), kind.ndim, kind.layout, not kind.mutable]
        if isinstance(kind, types.BaseTuple):
            named = getattr(kind, "instance_class", None)
            name = f"{named.__module__.removeprefix(PACKAGE + '.')}:{named.__qualname__}" if named else None
            return ["tuple", name, [self.place(one) for one in kind.types]]
        if isinstance(kind, types.Optional):
            return ["optional", self.place(kind.type)]
        if isinstance(kind, types.Omitted):
            return ["omitted", kind.value]
        if str(kind) not in SCALARS:
            raise TypeError(f"a kernel takes {kind}, which the list of kernels has no form for")
        return ["scalar", str(kind)]


def _decoded(form, known):
    """The type of a form; None where the sources do not have it any more."""
    kind, *rest = form
    if kind == "array":
        dtype, dimensions, layout, readonly = rest
        return types.Array(SCALARS[dtype], dimensions, layout, readonly=readonly)
    if kind == "tuple":
        name, places = rest
        if any(known[place] is None for place in places):
            return None
        parts = [known[place] for place in places]
        if not name:
            return types.BaseTuple.from_types(parts)
        module, _, name = name.partition(":")
        try:
            named = getattr(importlib.import_module(f"{PACKAGE}.{module}"), name)
        except (ModuleNotFoundError, AttributeError):
            return None
        # A tuple that has got another field since.
        return types.BaseTuple.from_types(parts, named) if len(named._fields) == len(parts) else None
    if kind == "optional":
        return known[rest[0]] and types.Optional(known[rest[0]])
    if kind == "omitted":
        return types.Omitted(rest[0])
    return SCALARS[rest[0]]
