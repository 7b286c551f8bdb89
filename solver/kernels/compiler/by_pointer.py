"""Arrays and tuples cross calls between kernels as one pointer, and parameters are borrowed.

Numba takes each array and tuple apart at every call, into 7 scalars for a vector and 280 for a tuple of 40 arrays, and
puts it together again in the callee; half of the LLVM instructions it makes are that. After `install()`

- an argument of more than `LEAST` scalars is a pointer to the caller's variable, which the callee only reads;
- a parameter that is never assigned again is no copy: no reference is counted, its attributes are read from there;
- nor is a variable that is assigned once, with an element of such a parameter: it is a place in it, to any depth;
- values whose form in memory is their form in registers are stored and returned as they are;
- of a variable that holds nothing yet, or no more, only the counters of references are zero, not all of its bytes;
- nor are bytes zero into which a callee returns; what lies in memory is copied there, not through registers.

The mathematics and the machine operations of a kernel stay the same.
"""

import collections

from llvmlite import ir as lir
from numba.core import cgutils, imputils, ir, lowering, types
from numba.core.callconv import RETCODE_OK, CPUCallConv, excinfo_t
from numba.core.datamodel import models

# Most scalars that are handed over one by one: what fits into registers beside the other arguments.
LEAST = 4
_INT32, _INT8 = lir.IntType(32), lir.IntType(8)
# Of no type: a tuple of equal types may stand for one of any, whose form is the same.
_POINTER = lir.PointerType()
_NOTHING = _INT8.as_pointer()
_offsets = {}
# Expressions that may take an element of a tuple.
_TAKING = "getattr", "static_getitem"


def _cast(builder, value, kind):
    """A pointer as one of another type; llvmlite's builder takes all pointers for equal."""
    cast = lir.instructions.CastInstr(builder.block, "bitcast", value, kind)
    builder._insert(cast)
    return cast


def _leaves(model):
    """Scalars that a value consists of."""
    if isinstance(model, models.UniTupleModel):
        return model._count * _leaves(model._elem_model)
    if isinstance(model, models.StructModel):
        return sum(_leaves(one) for one in model._models)
    return 1


def is_by_pointer(model):
    """Whether values of a data model cross calls as a pointer."""
    known = model.__dict__.get("_by_pointer")
    if known is None:
        plain = isinstance(model, models.UniTupleModel | models.TupleModel | models.ArrayModel)
        known = model.__dict__["_by_pointer"] = plain and _leaves(model) > LEAST
    return known


def _is_same(model):
    """Whether the form of a value in memory is its form in registers."""
    known = model.__dict__.get("_same")
    if known is None:
        known = model.__dict__["_same"] = model.get_value_type() == model.get_data_type()
    return known


def _patch_model(model):
    argument_type, as_argument, from_argument = model.get_argument_type, model.as_argument, model.from_argument

    def get_argument_type(self):
        return _POINTER if is_by_pointer(self) else argument_type(self)

    def as_pointer(self, builder, value):
        if not is_by_pointer(self):
            return as_argument(self, builder, value)
        slot = getattr(value, "slot", None)
        if slot is None:
            slot = _room(builder, value.type)
            builder.store(value, slot)
        return _cast(builder, slot, _POINTER)

    def from_pointer(self, builder, value):
        if not is_by_pointer(self):
            return from_argument(self, builder, value)
        return builder.load(_cast(builder, value, self.get_value_type().as_pointer()))

    model.get_argument_type, model.as_argument, model.from_argument = get_argument_type, as_pointer, from_pointer
    for name in ("as_data", "from_data", "as_return", "from_return"):
        setattr(model, name, _unless_same(getattr(model, name)))


def _unless_same(conversion):
    return lambda self, builder, value: value if _is_same(self) else conversion(self, builder, value)


class _Borrowing(lowering.Lower):
    """What numba's lowering does with variables, for parameters that stay where the caller has them."""

    def _find_singly_assigned_variable(self):
        _find(self)
        self._borrowed, blocks = {}, self.func_ir.blocks
        times, parameters = collections.Counter(), {}
        for block in blocks.values():
            for one in block.find_insts(ir.Assign):
                times[one.target.name] += 1
                if isinstance(one.value, ir.Arg):
                    parameters[one.target.name] = one.value
        if self.func_ir.func_id.is_generator:
            return
        for name, given in parameters.items():
            if times[name] == 1 and self.typeof("arg." + given.name) == self.typeof(name) and self._is_wide(name):
                self._borrowed[name] = given.index
        single = [one for block in blocks.values() for one in block.find_insts(ir.Assign)
                  if times[one.target.name] == 1]  # fmt: skip
        while any([self._borrow_part(one.target.name, one.value) for one in single]):
            pass
        self._singly_assigned_vars.difference_update(self._borrowed)

    def _is_wide(self, name):
        """Whether a variable is one that crosses calls as a pointer."""
        return self._is_wide_kind(self.typeof(name))

    def _is_wide_kind(self, kind):
        return is_by_pointer(self.context.data_model_manager[kind])

    def _borrow_part(self, name, value):
        """Note a variable that is given a borrowed one, or an element of it; whether it was none before."""
        if name in self._borrowed:
            return False
        whole = value.value if isinstance(value, ir.Expr) and value.op in _TAKING else value
        if not isinstance(whole, ir.Var) or whole.name not in self._borrowed or not self._is_wide(name):
            return False
        held, index = self.typeof(whole.name), None
        if whole is not value:
            index = _index(held, value)
            if index is None:
                return False
            held = held[index]
        if held != self.typeof(name):
            return False
        self._borrowed[name] = whole.name, index
        return True

    def _alloca_var(self, name, kind):
        if name in self.varmap:
            return
        counters = _counters(self.context, kind)
        if name in self._borrowed:
            self.varmap[name] = self._place(name)
        elif counters is None or name in self._singly_assigned_vars or self._disable_sroa_like_opt:
            _allocate(self, name, kind)
        else:
            slot = self.varmap[name] = _room(self.builder, self.context.get_value_type(kind), name)
            with self.builder.goto_entry_block():
                _clear(self.builder, slot, counters)

    def _place(self, name):
        """Where a borrowed variable is, found at the start of the function, so that all of it may use it."""
        source = self._borrowed[name]
        if isinstance(source, int):
            # The argument was loaded from the caller's variable.
            slot = self.fnargs[source].operands[0]
            with self.builder.goto_entry_block():
                return _cast(self.builder, slot.operands[0], slot.type)
        holder, index = source
        whole = self.getvar(holder)
        if index is None:
            return whole
        with self.builder.goto_entry_block():
            return self._part(whole, index, self.typeof(name))

    def _part(self, whole, index, kind):
        """Where an element of a tuple is, by its place in bytes: the text of the tuple's type would be longer than all
        the rest. kind: of the element."""
        offset = _offset(self.context, whole.type.pointee, index)
        place = self.builder.gep(whole, [lir.Constant(_INT32, offset)], source_etype=_INT8)
        place.type = self.context.get_value_type(kind).as_pointer()
        return place

    def lower_assign(self, kind, inst):
        return None if inst.target.name in self._borrowed else _assign(self, kind, inst)

    def storevar(self, value, name, argidx=None):
        if name in self._borrowed:
            return
        slot = getattr(value, "slot", None)
        if slot is None or argidx is not None:
            _store(self, value, name, argidx=argidx)
        elif name in self._singly_assigned_vars:
            # What a call returned stays where it is; a variable may be given another value.
            value.slot = slot if getattr(value, "stays", False) else None
            _store(self, value, name)
        else:
            target = self.getvar(name)
            self.decref(self.typeof(name), self.loadvar(name))
            _copy(self.context, self.builder, slot, target)

    def loadvar(self, name):
        known = name in self._blk_local_varmap
        value = _load(self, name)
        if not known and isinstance(value, lir.LoadInstr):
            value.slot = self.varmap.get(name)
        return value

    def delvar(self, name):
        if name in self._borrowed:
            return
        kind = self.typeof(name)
        counters = _counters(self.context, kind)
        if counters is None or name in self._blk_local_varmap or self._disable_sroa_like_opt:
            _delete(self, name)
            return
        self._singly_assigned_vars.discard(name)
        slot = self.getvar(name)
        self.decref(kind, self.builder.load(slot))
        _clear(self.builder, slot, counters)

    def lower_expr(self, result, expression):
        """Elements of tuples are read where the variable is."""
        if expression.op not in _TAKING:
            return _expression(self, result, expression)
        name, kind = expression.value.name, self.typeof(expression.value.name)
        index, held = _index(kind, expression), self._blk_local_varmap.get(name)
        stays = getattr(held, "stays", False)
        if index is None or (not stays and (held is not None or name in self._singly_assigned_vars)):
            return _expression(self, result, expression)
        builder, context, one = self.builder, self.context, kind[index]
        place = self._part(held.slot if stays else self.getvar(name), index, one)
        field = imputils.impl_ret_borrowed(context, builder, one, builder.load(place))
        if stays and one == result and self._is_wide_kind(one):
            field.slot, field.stays = place, True
        return context.cast(builder, field, one, result)


_METHODS = ("_find_singly_assigned_variable", "lower_assign", "storevar", "loadvar", "delvar", "lower_expr",
            "_alloca_var")  # fmt: skip
_OWN = "_is_wide", "_is_wide_kind", "_borrow_part", "_place", "_part"
_find, _assign, _store, _load, _delete, _expression, _allocate = (getattr(lowering.Lower, name) for name in _METHODS)
_decorate, _return = CPUCallConv.decorate_function, CPUCallConv.return_value


def _index(kind, expression):
    """Number of the element of a tuple that an expression takes, None where it takes none, or not one."""
    if expression.op == "getattr" and isinstance(kind, types.BaseNamedTuple):
        return kind.fields.index(expression.attr) if expression.attr in kind.fields else None
    if expression.op == "static_getitem" and isinstance(kind, types.BaseTuple) and type(expression.index) is int:
        return range(len(kind))[expression.index]
    return None


def _offset(context, native, index):
    """Bytes before an element of a tuple."""
    known = _offsets.get((native, index))
    if known is None:
        if isinstance(native, lir.ArrayType):
            known = index * native.element.get_abi_size(context.target_data)
        else:
            known = native.get_element_offset(context.target_data, index)
        _offsets[native, index] = known
    return known


def _room(builder, native, name=""):
    """A variable of a function, with whatever the memory holds."""
    with builder.goto_entry_block():
        return builder.alloca(native, name=name)


def _counters(context, kind):
    """Bytes before the counters of references in a value that crosses calls as a pointer; None of others, and where
    they are not known."""
    model = context.data_model_manager[kind]
    if not is_by_pointer(model):
        return None
    known = model.__dict__.get("_counters", False)
    if known is False:
        known = model.__dict__["_counters"] = _found(context, kind, model)
    return known


def _found(context, kind, model):
    if not model.contains_nrt_meminfo():
        return ()
    if isinstance(model, models.ArrayModel):
        return (0,)
    if not isinstance(kind, types.BaseTuple):
        return None
    found, native = [], model.get_value_type()
    for index, one in enumerate(kind):
        inside = _found(context, one, context.data_model_manager[one])
        if inside is None:
            return None
        found += [_offset(context, native, index) + at for at in inside]
    return tuple(found)


def _clear(builder, slot, counters):
    """Say that a variable holds no references."""
    for at in counters:
        place = builder.gep(slot, [lir.Constant(_INT32, at)], source_etype=_INT8)
        place.type = _NOTHING.as_pointer()
        builder.store(_NOTHING(None), place)


def _copy(context, builder, source, target):
    """Copy what lies at one place to another, unless it lies there; both have one type."""
    size = context.get_abi_sizeof(target.type.pointee)
    if source is not target:
        cgutils.raw_memcpy(builder, target, source, lir.Constant(cgutils.intp_t, size), 1)


def _call_function(self, builder, callee, result, kinds, args, attrs=None):
    """Numba's own, with room for what is returned that nobody filled with zeros."""
    room = _room(builder, self.get_return_type(result).pointee)
    fault = cgutils.alloca_once(builder, lir.PointerType(excinfo_t), name="excinfo")
    given = self._get_arg_packer(kinds).as_arguments(builder, args)
    attributes = tuple(attrs.split() if isinstance(attrs, str) else attrs or ())
    code = builder.call(callee, [room, fault, *given], attrs=attributes)
    status = self._get_return_status(builder, code, builder.load(fault))
    returned = builder.load(room)
    made = self.context.get_returned_value(builder, result, returned)
    if made is returned and is_by_pointer(self.context.data_model_manager[result]):
        made.slot, made.stays = room, True
    return status, made


def _return_value(self, builder, value):
    slot, target = getattr(value, "slot", None), self._get_return_argument(builder.function)
    if slot is None or target.type.pointee != value.type:
        _return(self, builder, value)
        return
    _copy(self.context, builder, slot, target)
    self._return_errcode_raw(builder, RETCODE_OK)


def _decorate_function(self, function, names, kinds, noalias=False):
    _decorate(self, function, names, kinds, noalias)
    for one in self.get_arguments(function):
        if type(one.type) is lir.PointerType:
            for attribute in ("captures(none)", "noalias", "readonly"):
                one.add_attribute(attribute)


def install():
    """Hand arrays and tuples over as pointers from now on, in this process."""
    for model in (models.StructModel, models.UniTupleModel):
        _patch_model(model)
    for name in _METHODS + _OWN:
        setattr(lowering.Lower, name, _Borrowing.__dict__[name])
    lir.values.ArgumentAttributes._known = {**lir.values.ArgumentAttributes._known, "readonly": False}
    CPUCallConv.decorate_function, CPUCallConv.call_function = _decorate_function, _call_function
    CPUCallConv.return_value = _return_value
