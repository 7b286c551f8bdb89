"""Separate compilation for numba: every function is optimised and emitted once, callers refer to its symbol.

Numba links the whole LLVM form of every callee into each caller, and optimises and emits it again there. After
`install()` a callee of at most `LIMIT` instructions is still linked, to be inlined: it is `available_externally`, which
LLVM may inline and never emits. A larger one stays a declaration that the engine resolves. Machine code of a function
without an entry from Python is made when the first caller that has one needs it; of one inlined everywhere, never.
Entries from Python are pieces of their own, made when Python calls a function first: a library needs none of them.
"""

import copy
import weakref
from contextlib import contextmanager

from numba import _dynfunc
from numba.core import codegen, cpu, lowering
from numba.core.compiler_lock import require_global_compiler_lock
from numba.core.environment import Environment

# Largest callee that callers inline [instructions of LLVM]: loops of a row and helpers of a block are below, whole
# sweeps above. Twice and half of it change compile times by a tenth and run times by less.
LIMIT = 100
# Symbol -> library that defines it: made in this process, or found on disk by `elsewhere`.
defined = {}
# Environments of numba whose place is not in memory yet.
waiting = {}
# Libraries whose machine code came to memory since they were written to disk last.
fresh = []
# Last: whether a function that Python may call gets its entry. A third of all compiling goes into these.
_entries = [True]
# The library of a symbol that this process has not made, or None; `pieces.install` sets it.
elsewhere = [lambda _symbol: None]

# Linkages of what other modules may refer to.
_SHARED = "external", "linkonce_odr", "weak_odr", "common"

_set_env, _add_entries = codegen.JITCPUCodegen.set_env, lowering.BaseLower.create_cpython_wrapper


class MissingError(Exception):
    """Machine code of a symbol is nowhere: it was removed, or is damaged."""


def _size(function):
    """Number of instructions of an LLVM function, counted to LIMIT + 1 at most."""
    found = 0
    for block in function.blocks:
        for _ in block.instructions:
            found += 1
            if found > LIMIT:
                return found
    return found


def own(library):
    """Functions whose machine code is this library's."""
    return [f for f in library._final_module.functions
            if not f.is_declaration and f.linkage.name != "available_externally"]  # fmt: skip


def inlines(library):
    """Whether callers get the LLVM form of a library: it is numba's runtime, or short enough to be inlined."""
    if library._inlines is None:
        body = own(library)
        forced = any(b"alwaysinline" in one for f in body for one in f.attributes)
        library._inlines = forced or sum(map(_size, body)) <= LIMIT
    return library._inlines


def needs(library):
    """Symbols that the machine code of a library refers to."""
    if library._needs is None:
        functions = library._final_module.functions
        library._needs = [f.name for f in functions if not f.name.startswith("llvm.")
                          and (f.is_declaration or f.linkage.name == "available_externally")]  # fmt: skip
    return library._needs


def absent(library):
    """The first symbol that a library's machine code needs, itself or through others, and that is nowhere; or None."""
    try:
        _gather(library)
    except MissingError as error:
        return str(error)
    return None


def _gather(library):
    """A library and all that it needs, as far as they are not in memory; MissingError where one is nowhere."""
    todo, found = [library], {}
    while todo:
        one = todo.pop()
        if one._emitted or one in found:
            continue
        found[one] = True
        one._fetch()
        for name in needs(one):
            other = defined.get(name) or elsewhere[0](name)
            if other is not None:
                todo.append(other)
            elif name.startswith("_ZN") and not library._codegen._engine.is_symbol_defined(name):
                # All others are the system's and numba's own.
                raise MissingError(name)
    return list(found)


def emit(library):
    """Make or load machine code of a library and of all that it needs."""
    made = _gather(library)
    for one in made:
        one._emitted = True
        one._place()
    fresh.extend(made)
    if made:
        engine = library._codegen._engine
        for one in made:
            if one._final_module is not None:
                library._codegen._scan_and_fix_unresolved_refs(one._final_module)
        engine.finalize_object()
        for name in [name for name in waiting if engine.is_symbol_defined(name)]:
            _set_environment(library._codegen, name, waiting.pop(name))


def _set_environment(self, name, environment):
    """Numba's `set_env`, put off for what is not in memory."""
    if self._engine.is_symbol_defined(name):
        _set_env(self, name, environment)
    else:
        waiting[name] = environment


def _finalize(self):
    require_global_compiler_lock()
    self._raise_if_finalized()
    for library in dict.fromkeys(self._linking_libraries):
        self._reload_init.update(library._reload_init)
        library._ensure_finalized()
        if inlines(library):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
    self._optimize_final_module()
    self._final_module.verify()
    self._finalize_final_module()


def _module_for_linking(self):
    self._ensure_finalized()
    if self._shared_module is None:
        module = self._final_module.clone()
        for function in list(module.functions):
            if not function.is_declaration and function.linkage.name in _SHARED:
                function.linkage = "available_externally"
        self._shared_module = module
    return self._shared_module


def _finalize_final_module(self):
    self._finalize_dynamic_globals()
    # The hooks of numba's object cache look for this mangled name.
    self._final_module._CPUCodeLibrary__library = weakref.proxy(self)
    self.enable_object_caching()
    for function in own(self):
        defined[function.name] = self
    self._finalized = True


class _Entry(codegen.JITCodeLibrary):
    """The entry from Python of a function that is a library. It has an environment of its own: which constants it
    needs is known when it is made, which may be long after the function was."""

    def __init__(self, context, library, description):
        super().__init__(library._codegen, description.llvm_cpython_wrapper_name)
        self._inlines, described = False, copy.copy(description)
        described.env_name = self.name + ".environment"
        self._environment = made = Environment({"__name__": description.modname})
        made.env_name = described.env_name
        self.add_linking_library(library)
        context.subtarget(enable_nrt=True).create_cpython_wrapper(self, described, made, None, library._asked)
        self.finalize()

    def _place(self):
        _place(self)
        waiting[self._environment.env_name] = self._environment


def is_known(symbol):
    """Whether a symbol was made in this process, or is on disk."""
    return symbol in defined or elsewhere[0](symbol) is not None


def makes_entries():
    """Whether a function that Python may call gets its entry."""
    return _entries[-1]


@contextmanager
def without_entries():
    """Compile what a library calls, which has entries of its own."""
    _entries.append(False)
    try:
        yield
    finally:
        _entries.pop()


def _ask_for_entry(self, release_gil=False):
    """Instead of an entry from Python beside each function: `_executable` makes it, if it is called from there."""
    self.library._asked = release_gil
    if self.genlower:
        _add_entries(self, release_gil)


def _place(self):
    """Make machine code; what callers inline is put aside as it is before that."""
    if inlines(self):
        self._get_module_for_linking()
    self._codegen._add_module(self._final_module)


def _pointer(self, name):
    self._ensure_finalized()
    library = defined.get(name) or elsewhere[0](name)
    if library is None:
        return 0
    emit(library)
    return self._codegen._engine.get_function_address(name)


def _executable(self, library, fndesc, env):
    library._ensure_finalized()
    name, pointer = fndesc.llvm_cpython_wrapper_name, 0
    if library._asked is not None and makes_entries():
        if not is_known(name):
            _Entry(self, library, fndesc)
        pointer = library.get_pointer_to_function(name)
    # Called by numba even where it is no entry: it is the key of the function's implementation.
    made = _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname.split(".")[-1],
                                  f"compiled wrapper for {fndesc.qualname!r}", pointer, env, (library,))  # fmt: skip
    library.codegen.set_env(self.get_env_name(fndesc), env)
    return made


def install():
    """Compile separately from now on, in this process."""
    library = codegen.CPUCodeLibrary
    library._inlines, library._needs, library._emitted, library._asked = None, None, False, None
    lowering.BaseLower.create_cpython_wrapper = _ask_for_entry
    library._place, library._environment = _place, None
    library._fetch = lambda self: None
    library.finalize, library._get_module_for_linking = _finalize, _module_for_linking
    library._finalize_final_module, codegen.JITCodeLibrary.get_pointer_to_function = _finalize_final_module, _pointer
    cpu.CPUContext.get_executable, codegen.JITCPUCodegen.set_env = _executable, _set_environment
