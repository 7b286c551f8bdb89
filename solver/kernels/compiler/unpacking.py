"""Tuples that are taken apart where they are made are none, and others are taken apart where they lie.

`a, b, c, d = x, y, z, w` makes a tuple for numba and takes it apart, with a copy of what each name holds and a count of
its references; `a, b = made` copies the tuple before. After `install()` each name is given what it is given.
"""

from collections import Counter

from numba.core import ir, typed_passes, types

_legalise = typed_passes.IRLegalization.run_pass


def unpack_in_place(function, typemap):
    """Change a function of numba's, whose variables have the types of typemap."""
    used = Counter(one.name for block in function.blocks.values() for inst in block.body for one in inst.list_vars())
    for block in function.blocks.values():
        kept, tuples, before = [], {}, None
        for one in block.body:
            value = one.value if isinstance(one, ir.Assign) else None
            op = value.op if isinstance(value, ir.Expr) else None
            if op == "exhaust_iter" and _is_tuple(typemap[value.value.name], value.count):
                # What it is made of is the same in both places, and names are given nothing before all is taken.
                made = before if before is not None and before.target.name == value.value.name else None
                items = made.value.items if made is not None else None
                tuples[one.target.name] = value.value, items
                if made is not None:
                    kept.pop()
                before = None
                continue
            if op == "static_getitem" and value.value.name in tuples:
                whole, items = tuples[value.value.name]
                if items is None:
                    value.value = whole
                else:
                    one.value = items[value.index]
            # Where it is made and where it is taken apart.
            before = one if op == "build_tuple" and used[one.target.name] == 2 else None
            kept.append(one)
        block.body = kept


def _is_tuple(kind, count):
    return isinstance(kind, types.BaseTuple) and len(kind) == count


def _run_pass(self, state):
    unpack_in_place(state.func_ir, state.typemap)
    return _legalise(self, state)


def install():
    """Take tuples apart so from now on, in this process."""
    typed_passes.IRLegalization.run_pass = _run_pass
