"""Leave out what numba does while it compiles and what changes no bit of the machine code."""

from contextlib import nullcontext

import llvmlite.binding as llvm
from numba.core import codegen, config, cpu, dispatcher, errors, event, ir, lowering, postproc, targetconfig, types
from numba.core.compiler_machinery import PassManager, _pass_registry
from numba.core.transforms import canonicalize_cfg

_options = codegen.JITCPUCodegen._customize_tm_options
_add = codegen.JITCPUCodegen._add_module
_template = dispatcher.Dispatcher.get_call_template
_resolve = types.functions.BaseFunction.get_call_type
_process, _registries = postproc.PostProcessor.run, cpu.CPUContext.load_additional_registries
# What an instruction of numba is made of beside variables, instructions and lists of these.
_NO_VARIABLE = frozenset((str, int, float, bool, type(None), ir.Loc, type(len)))
# The event that numba's own dispatcher waits for.
_AWAITED = "numba:compile"
# Counting references to the memory of arrays, in place. Numba finds pairs that may be left out by the names of the
# functions that count. After that calls are in the way: half of those of a small step. No two threads count one array.
_COUNTS = """
define linkonce_odr void @NRT_incref(ptr %info) alwaysinline nounwind {
  %none = icmp eq ptr %info, null
  br i1 %none, label %end, label %count
count:
  %before = load i64, ptr %info, align 8
  %now = add i64 %before, 1
  store i64 %now, ptr %info, align 8
  br label %end
end:
  ret void
}

define linkonce_odr void @NRT_decref(ptr %info) alwaysinline nounwind {
  %none = icmp eq ptr %info, null
  br i1 %none, label %end, label %count
count:
  %before = load i64, ptr %info, align 8
  %now = add i64 %before, -1
  store i64 %now, ptr %info, align 8
  %last = icmp eq i64 %now, 0
  br i1 %last, label %drop, label %end, !prof !0
drop:
  call void @NRT_MemInfo_call_dtor(ptr %info)
  br label %end
end:
  ret void
}

declare void @NRT_MemInfo_call_dtor(ptr) nounwind
!0 = !{!"branch_weights", i32 1, i32 3}
"""


def _set_layout(self, module):
    """Instead of passes over each function before modules are linked: those over modules do the same again."""
    module.data_layout = self._codegen._data_layout


def _call_template(self, args, kws):
    """A constant at a call makes no kernel of its own: the compiler puts it into what it inlines anyway."""
    args = tuple(types.unliteral(one) for one in args)
    return _template(self, args, {name: types.unliteral(one) for name, one in kws.items()})


def _resolved(self, context, args, kws):
    """The signature of a function of numba's for arguments of certain types, looked for once: `+` and `[]` have fifty
    forms, each of which is tried at every call."""
    known, key = self.__dict__.setdefault("_resolved", {}), (args, *kws.items())
    if key not in known:
        known[key] = _resolve(self, context, args, kws)
    return known[key]


def _differ(source, target):
    """Stands for numba's error of two shapes, whose text takes strings, for which half a hundred functions are made."""
    raise NotImplementedError


def _raise_differing(source, target):
    def raise_it(source, target):
        raise ValueError("cannot assign slice from input of different size")

    return raise_it


def _same_flags(self, other):
    """Whether two sets of flags are equal, without two dictionaries of forty entries for each look-up."""
    if not isinstance(other, targetconfig.TargetConfig):
        return NotImplemented
    if self is other or self._values == other._values:
        return True
    return all(getattr(self, name) == getattr(other, name) for name in self._values.keys() | other._values.keys())


def _gather_variables(value, found):
    """Add the variables that a part of an instruction uses to a list, in numba's order."""
    kind = type(value)
    if kind is ir.Var:
        found.append(value)
    elif kind in _NO_VARIABLE:
        return
    elif kind is list or kind is tuple:
        for one in value:
            _gather_variables(one, found)
    elif kind is dict:
        for one in value.values():
            _gather_variables(one, found)
    elif isinstance(value, ir.Inst):
        found += value.list_vars()


def _list_variables(self, value):
    """Variables in a part of an instruction, in one list instead of one a part; a third of compiling asks for these."""
    found = []
    _gather_variables(value, found)
    return found


def _post_process(self, emit_dels=False, extend_lifetimes=False):
    """Numba's own without what lives at the start of each block, which generators alone ask for."""
    function = self.func_ir
    if function.is_generator:
        _process(self, emit_dels, extend_lifetimes)
        return
    function.blocks = canonicalize_cfg(function.blocks)
    function.variable_lifetime, function.generator_info = postproc.VariableLifetime(function.blocks), None
    if emit_dels:
        self._insert_var_dels(extend_lifetimes=extend_lifetimes)


def _run_pass(self, _index, one, state):
    """One pass over a function, without its description for events, its time and checks of numba by itself."""
    one.analysis = self._analysis
    with errors.new_error_context("Pass {name}", name=one.name()):
        changed = [step(state) for step in (one.run_initialization, one.run_pass, one.run_finalizer)]
    if _pass_registry.get(type(one)).mutates_CFG:
        if any(changed):
            postproc.PostProcessor(state.func_ir).run()
        else:
            state.func_ir.blocks = canonicalize_cfg(state.func_ir.blocks)


def _load_registries(self):
    """Numba's own at the first call; later ones take what is new in the same tables and import nothing."""
    if not self._registries:
        _registries(self)
        # What it has imported now; before the first kernel is compiled nobody waits for it.
        from numba.extending import overload
        from numba.np import arrayobj

        overload(_differ)(_raise_differing)
        arrayobj.raise_with_shape_context = _differ
    for one in list(self._registries):
        self.install_registry(one)


def _near_options(self, options):
    """Numba's options of the code generator, for code that can be linked into a shared library."""
    _options(self, options)
    options["reloc"], options["codemodel"] = "pic", "default"
    options.pop("jit", None)


def _count_in_place(self, module):
    """Put counting references into the functions of a module, which callers are not to inline any more."""
    counts = llvm.parse_assembly(_COUNTS)
    counts.triple, counts.data_layout = module.triple, module.data_layout
    module.link_in(counts)
    builder, passes = (llvm.create_pass_builder(self._tm, llvm.create_pipeline_tuning_options()),
                       llvm.create_new_module_pass_manager())  # fmt: skip
    passes.add_always_inliner_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, builder)


def _add_module(self, module):
    """Add a module whose calls of others go through a table of addresses: these may lie anywhere in memory, also
    further away than a call reaches. A linker makes plain calls of them where all is one library."""
    for function in module.functions:
        # Nothing is thrown through a kernel: how to do it would be a thirtieth of a library.
        if not function.name.startswith("llvm."):
            function.add_function_attribute("nounwind")
        elsewhere = function.is_declaration or function.linkage.name == "available_externally"
        if elsewhere and not function.name.startswith("llvm."):
            function.add_function_attribute("nonlazybind")
    if any(function.name in ("NRT_incref", "NRT_decref") for function in module.functions):
        _count_in_place(self, module)
    _add(self, module)


def install():
    """Compile without these from now on, in this process."""
    codegen.JITCPUCodegen._customize_tm_options = _near_options
    codegen.JITCPUCodegen._add_module = _add_module
    # It puts the parts of a module side by side; LLVM's own may part them.
    config.USE_LLVMLITE_MEMORY_MANAGER = 1
    codegen.CPUCodeLibrary._optimize_functions = _set_layout
    dispatcher.Dispatcher.get_call_template = _call_template
    # Entries from C, which nobody calls.
    lowering.BaseLower.create_cfunc_wrapper = lambda self: None
    targetconfig.TargetConfig.__eq__ = _same_flags
    targetconfig.TargetConfig.__hash__ = lambda self: hash(type(self))
    # Of the events of each pass and each LLVM call nobody is waiting.
    trigger, start, end = event.trigger_event, event.start_event, event.end_event
    event.trigger_event = lambda kind, data=None: trigger(kind, data) if kind == _AWAITED else nullcontext()
    event.start_event = lambda kind, *rest, **named: start(kind, *rest, **named) if kind == _AWAITED else None
    event.end_event = lambda kind, *rest, **named: end(kind, *rest, **named) if kind == _AWAITED else None
    types.functions.BaseFunction.get_call_type = _resolved
    PassManager._runPass, postproc.PostProcessor.run = _run_pass, _post_process
    ir.Inst._rec_list_vars = _list_variables
    cpu.CPUContext.load_additional_registries = _load_registries
