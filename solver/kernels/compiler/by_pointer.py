"""Arrays and tuples cross calls between kernels as one pointer, and parameters are borrowed.

Numba takes each array and tuple apart at every call, into 7 scalars for a vector and 280 for a tuple of 40 arrays, and
puts it together again in the callee; half of the LLVM instructions it makes are that. After `install()`

- an argument of more than `LEAST` scalars is a pointer to the caller's variable, which the callee only reads;
- a parameter that is never assigned again is no copy: no reference is counted, its attributes are read from there;
- values whose form in memory is their form in registers are stored and returned as they are.

The mathematics and the machine operations of a kernel stay the same.
"""

import collections

from llvmlite import ir as lir
from numba.core import cgutils, imputils, ir, lowering, types
from numba.core.callconv import CPUCallConv
from numba.core.datamodel import models

# Most scalars that are handed over one by one: what fits into registers beside the other arguments.
LEAST = 4
_INT32, _INT8 = lir.IntType(32), lir.IntType(8)
# Of no type: a tuple of equal types may stand for one of any, whose form is the same.
_POINTER = lir.PointerType()
_offsets = {}


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
            slot = cgutils.alloca_once(builder, value.type)
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
            kind = self.typeof(name)
            model = self.context.data_model_manager[kind]
            if times[name] == 1 and self.typeof("arg." + given.name) == kind and is_by_pointer(model):
                self._borrowed[name] = given.index
                self._singly_assigned_vars.discard(name)

    def lower_assign(self, kind, inst):
        if isinstance(inst.value, ir.Arg) and inst.target.name in self._borrowed:
            return self.fnargs[inst.value.index]
        return _assign(self, kind, inst)

    def storevar(self, value, name, argidx=None):
        if name in self._borrowed:
            # The argument was loaded from the caller's variable.
            self.varmap[name] = value.operands[0]
            return
        if name in self._singly_assigned_vars and getattr(value, "slot", None) is not None:
            value.slot = None
        _store(self, value, name, argidx=argidx)

    def loadvar(self, name):
        known = name in self._blk_local_varmap
        value = _load(self, name)
        if not known and isinstance(value, lir.LoadInstr):
            value.slot = self.varmap.get(name)
        return value

    def delvar(self, name):
        if name not in self._borrowed:
            _delete(self, name)

    def lower_expr(self, result, expression):
        """Attributes of named tuples are read where the variable is."""
        name = expression.value.name if expression.op == "getattr" else None
        if name is None or name in self._blk_local_varmap:
            return _expression(self, result, expression)
        kind = self.typeof(name)
        if not isinstance(kind, types.BaseNamedTuple) or name in self._singly_assigned_vars:
            return _expression(self, result, expression)
        builder, context, slot = self.builder, self.context, self.getvar(name)
        index = kind.fields.index(expression.attr)
        # By its place in bytes: the text of the tuple's type would be longer than all the rest.
        offset = _offset(context, slot.type.pointee, index)
        native = context.get_value_type(kind[index])
        place = builder.gep(slot, [lir.Constant(_INT32, offset)], source_etype=_INT8)
        place.type = native.as_pointer()
        field = imputils.impl_ret_borrowed(context, builder, kind[index], builder.load(place))
        return context.cast(builder, field, kind[index], result)


_METHODS = ("_find_singly_assigned_variable", "lower_assign", "storevar", "loadvar", "delvar", "lower_expr")
_find, _assign, _store, _load, _delete, _expression = (getattr(lowering.Lower, name) for name in _METHODS)
_decorate = CPUCallConv.decorate_function


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
    for name in _METHODS:
        setattr(lowering.Lower, name, _Borrowing.__dict__[name])
    lir.values.ArgumentAttributes._known = {**lir.values.ArgumentAttributes._known, "readonly": False}
    CPUCallConv.decorate_function = _decorate_function
