"""Leave out what numba does while it compiles and what changes no bit of the machine code."""

from numba.core import codegen, config, dispatcher, event, lowering, targetconfig, types

_options = codegen.JITCPUCodegen._customize_tm_options
_add = codegen.JITCPUCodegen._add_module
_template = dispatcher.Dispatcher.get_call_template


def _set_layout(self, module):
    """Instead of passes over each function before modules are linked: those over modules do the same again."""
    module.data_layout = self._codegen._data_layout


def _call_template(self, args, kws):
    """A constant at a call makes no kernel of its own: the compiler puts it into what it inlines anyway."""
    args = tuple(types.unliteral(one) for one in args)
    return _template(self, args, {name: types.unliteral(one) for name, one in kws.items()})


def _same_flags(self, other):
    """Whether two sets of flags are equal, without two dictionaries of forty entries for each look-up."""
    if not isinstance(other, targetconfig.TargetConfig):
        return NotImplemented
    return self._values == other._values or self.values() == other.values()


def _near_options(self, options):
    """Numba's options of the code generator, for code that can be linked into a shared library."""
    _options(self, options)
    options["reloc"], options["codemodel"] = "pic", "default"
    options.pop("jit", None)


def _add_module(self, module):
    """Add a module whose calls of others go through a table of addresses: these may lie anywhere in memory, also
    further away than a call reaches. A linker makes plain calls of them where all is one library."""
    for function in module.functions:
        elsewhere = function.is_declaration or function.linkage.name == "available_externally"
        if elsewhere and not function.name.startswith("llvm."):
            function.add_function_attribute("nonlazybind")
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
    send = event.broadcast
    event.broadcast = lambda given: send(given) if given.kind == "numba:compile" else None
