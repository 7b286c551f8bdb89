"""Every function on disk once, `inner` too, for processes that run it and for those that compile callers of it.

A piece of machine code is an entry of the store named after its symbol: (symbols it defines, variables, symbols it
needs, object code, constants if Python calls it). What numba's dispatcher asks for is a second entry named after
function and signature: descriptions and, where the function is short enough to be inlined, its LLVM form. Kept
functions have the same symbols in every process, all others have the process in theirs.
"""

import gc
import hashlib
import os
import pickle
import threading
import time
import types
import uuid
import weakref

import llvmlite.binding as llvm
from numba.core import bytecode, caching, codegen, compiler, sigutils
from numba.core.runtime.nrt import rtsys

from ..sources import PACKAGE, package_hash, source_hash
from . import separate
from .on_disk import read, written

# Where set, a kernel that is not on disk is an error.
NO_COMPILE_VARIABLE = "STICTION_NO_COMPILE"
_PROCESS = uuid.uuid4().hex[:6]
# Functions that are about to be compiled to be kept.
_expected = []
_identities = {}
_here = threading.local()


class NotCompiledError(RuntimeError):
    """A kernel would have to be compiled where STICTION_NO_COMPILE forbids it."""


class Keeper:
    """Keeps what is compiled in a store. options: text of all that code is compiled with.

    asked: {("module:name" below the package, types of arguments): CPU time of compiling or loading it [s]} of every
    function with an entry from Python that was called, or that a function that was compiled calls.
    """

    def __init__(self, store, options):
        self.store, self.options, self.asked, self.codegen = store, options, {}, None
        separate.elsewhere[0] = self._elsewhere
        codegen.CPUCodeLibrary.serialize_using_object_code = _serialized
        codegen.Codegen.unserialize_library = lambda generator, given: self._library(generator, *given)
        _name_steadily(options)

    def keep(self, dispatcher, entry=False):
        """Keep what is compiled of a function on disk; returns the dispatcher. entry: Python calls it."""
        cache = dispatcher._cache = _Cache(self, dispatcher.py_func, entry)
        compile_it, function = dispatcher.compile, dispatcher.py_func
        key = f"{function.__module__.removeprefix(PACKAGE + '.')}:{function.__qualname__}"

        def compile_or_release(signature):
            begun = time.process_time()
            try:
                return _undisturbed(compile_it, signature)
            except BaseException:
                cache.release()
                raise
            finally:
                if entry:
                    arguments = sigutils.normalize_signature(signature)[0]
                    self.asked.setdefault((key, arguments), time.process_time() - begun)

        dispatcher.compile = compile_or_release
        return dispatcher

    def has(self, function):
        """Whether compiled code of a function, given as plain Python, is on disk for some signature."""
        return self.store.read(_identity(function, self.options)) is not None

    def mark(self, function):
        """Say that compiled code of a function is on disk."""
        self.store.write(_identity(function, self.options), b"compiled")

    def is_another_at(self, function, arguments):
        """Whether another process is compiling a function for arguments of these types."""
        return self.store.is_claimed(self.name(function, arguments))

    def is_complete(self, *use):
        """Whether all that a use needs, and this package's sources hold, was compiled. use: its name, and how."""
        return self.store.read(self._complete(use)) is not None

    def remember_complete(self, *use):
        """Say that all that a use needs was compiled."""
        self.store.write(self._complete(use), b"complete")

    def _complete(self, use):
        return _hashed(repr((*use, package_hash(), self.options)))

    def name(self, function, signature):
        """Name of the entry of a function for a tuple of types."""
        return _hashed(_identity(function, self.options) + str(signature))

    def piece(self, symbol):
        """(symbols, variables, symbols needed, object code, environment of an entry) of what defines a symbol, or the
        symbol it is kept under; None where it is not on disk."""
        content = self.store.read(_hashed(symbol))
        return None if content is None else pickle.loads(content)

    def _elsewhere(self, symbol):
        found = self.piece(symbol)
        if isinstance(found, str):
            return separate.defined.get(found) or self._elsewhere(found)
        return None if found is None else _Kept(self, self.codegen, symbol, found[0], b"", found[2])

    def _library(self, generator, name, symbols, form, needs):
        self.codegen = generator
        return _Kept(self, generator, name, symbols, form, needs)

    def save_pieces(self, library, entry=False):
        """Write the machine code that a library was given, and all that came to memory with it. entry: it is called
        from elsewhere than from what inlines it."""
        if not library._emitted and (entry or not separate.inlines(library)):
            # Of no use to another process without its machine code.
            separate.emit(library)
        while separate.fresh:
            one = separate.fresh.pop()
            if one is rtsys.library or one._final_module is None or not getattr(one, "_compiled_object", None):
                continue
            symbols = _symbols(one)
            if not symbols:
                continue
            variables = [v.name for v in one._final_module.global_variables if not v.is_declaration]
            own = written(one._environment) if one._environment else b""
            piece = symbols, variables, separate.needs(one), bytes(one._compiled_object), own
            self.store.write(_hashed(symbols[0]), pickle.dumps(piece))
            for other in symbols[1:]:
                # A destructor, say: it is found where the rest of its library is.
                self.store.write(_hashed(other), pickle.dumps(symbols[0]))


def pieces_of(keeper, symbols):
    """Object codes, each once, that define symbols and all these need; raises MissingError where one is nowhere."""
    todo, seen, codes = list(symbols), set(), []
    while todo:
        symbol = todo.pop()
        if symbol in seen:
            continue
        seen.add(symbol)
        piece = keeper.piece(symbol)
        if isinstance(piece, str):
            todo.append(piece)
        elif piece is not None:
            seen.update(piece[0])
            codes.append(piece[3])
            todo += piece[2]
        elif symbol.startswith("_ZN"):
            # All others are the system's and numba's own.
            raise separate.MissingError(symbol)
    return codes


class _Cache(caching.NullCache):
    """What numba's dispatcher asks for compiled code of a function."""

    def __init__(self, keeper, function, entry):
        self._keeper, self._function, self._entry, self._claimed = keeper, function, entry, []
        # Now, while the file still says what was imported: it may be edited while this process runs.
        source_hash(function.__code__.co_filename)

    def load_overload(self, signature, target):
        """The compiled function, or None where this process is to compile it."""
        keeper, name = self._keeper, self._keeper.name(self._function, signature)
        forbidden = os.environ.get(NO_COMPILE_VARIABLE)
        content = keeper.store.read(name) if forbidden else keeper.store.read_or_claim(name)
        keeper.codegen = target.codegen()
        if content is not None:
            try:
                result = _rebuilt(target, content)
                if separate.absent(result.library) is None and (entered := self._entered(target, result, forbidden)):
                    return entered
            except separate.MissingError:
                # One of its pieces was damaged, or a type of its arguments moved: all of it is compiled anew.
                pass
        where = f"{self._function.__module__.rpartition('.')[2]}.{self._function.__qualname__}{signature}"
        if forbidden:
            raise NotCompiledError(f"{where} is not compiled, and {NO_COMPILE_VARIABLE} is set")
        # Numba's tables of what it can compile take as long to fill as all kernels of a run to load.
        target.refresh()
        self._claimed.append(name)
        _expected.append(self._function)
        return None

    def _entered(self, target, result, forbidden):
        """A compiled function of the store with its entry from Python, which is made where it was not needed before;
        None where that is forbidden."""
        if not self._entry or not separate.makes_entries():
            return result
        if not separate.is_known(result.fndesc.llvm_cpython_wrapper_name):
            if forbidden:
                return None
            target.refresh()
        result.library._asked = True
        made = target.get_executable(result.library, result.fndesc, result.environment)
        self._keeper.save_pieces(result.library)
        return result._replace(entry_point=made)

    def save_overload(self, signature, result):
        """Write the compiled function."""
        self._keeper.codegen = result.library.codegen
        self._keeper.save_pieces(result.library, self._entry)
        name = self._keeper.name(self._function, signature)
        self._keeper.store.write(name, written(result._reduce()))
        self._keeper.mark(self._function)
        if name in self._claimed:
            self._claimed.remove(name)

    def release(self):
        """Give back claims on what could not be compiled."""
        while self._claimed:
            self._keeper.store.release(self._claimed.pop())


def _roomy(step, signature):
    """Compile; what this calls finds room for the frames of all its calls."""
    return step(signature)


# Python takes frames from pieces of 16 kB and gives an empty one back at once: a loop that calls across the edge of one
# asks the system at every call, up to a fifth of all time. A frame this large [words] brings a piece of twice its size.
_roomy.__code__ = _roomy.__code__.replace(co_stacksize=1 << 16)


def _undisturbed(step, signature):
    """Compile without searches for unreachable objects, which go over all of numba's tables and find little; they are
    made up for between two kernels."""
    if getattr(_here, "compiles", False):
        return step(signature)
    _here.compiles, collects = True, gc.isenabled()
    gc.disable()
    try:
        return _roomy(step, signature)
    finally:
        _here.compiles = False
        if collects:
            gc.enable()


class _Kept(codegen.JITCodeLibrary):
    """A library of which parts are on disk."""

    def __init__(self, keeper, generator, name, symbols, form, needs):
        codegen.CodeLibrary.__init__(self, generator, name)
        self._finalized, self._final_module, self._shared_module = True, None, None
        self._keeper, self._piece = keeper, None
        self._symbols, self._form, self._inlines, self._needs = symbols, form, bool(form), needs
        for symbol in symbols:
            separate.defined.setdefault(symbol, self)

    def _get_module_for_linking(self):
        if self._shared_module is None:
            self._shared_module = llvm.parse_bitcode(self._form)
        return self._shared_module

    def _fetch(self):
        self._piece = self._keeper.piece(self._symbols[0])
        if self._piece is not None:
            self._needs = self._piece[2]
        elif not self._form:
            raise separate.MissingError(self._symbols[0])

    def _place(self):
        if self._piece is not None:
            symbols, variables, _, code, own = self._piece
            self._piece = None
            if own:
                self._environment = read(own)
                separate.waiting[self._environment.env_name] = self._environment
            self._codegen._engine._ee.add_object_file(llvm.ObjectFileRef.from_data(code))
            self._codegen._engine._defined_symbols.update(symbols + variables)
            return
        # It was inlined wherever it was needed so far.
        module = llvm.parse_bitcode(self._form)
        for function in list(module.functions):
            if function.linkage.name == "available_externally":
                function.linkage = "external" if function.name in self._symbols else function.linkage
        self._final_module = module
        module._CPUCodeLibrary__library = weakref.proxy(self)
        self.enable_object_caching()
        self._codegen._add_module(module)


def _hashed(text):
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _symbols(library):
    """Symbols that a library defines."""
    return [function.name for function in separate.own(library)]


def _serialized(library):
    form = library._get_module_for_linking().as_bitcode() if separate.inlines(library) else b""
    return library.name, _symbols(library), form, separate.needs(library)


def _code_text(code):
    """Text of a code object without places in memory or on disk."""
    return repr((code.co_code, [*map(_constant_text, code.co_consts)], code.co_names, code.co_firstlineno))


def _constant_text(one):
    if isinstance(one, types.CodeType):
        return _code_text(one)
    # Sets have another order in each process.
    return repr(sorted(map(repr, one)) if isinstance(one, frozenset) else one)


def _identity(function, options, seen=()):
    """Text that tells a function apart from all others: its code, what it is closed over, the sources it is made of."""
    if not seen and function in _identities:
        return _identities[function]
    code, cells = function.__code__, [cell.cell_contents for cell in function.__closure__ or ()]
    within = []
    for one in cells:
        plain = getattr(one, "py_func", one)
        known = hasattr(plain, "__code__") and plain not in seen
        within.append(_identity(plain, options, (*seen, function)) if known else repr(one))
    text = repr((function.__module__.removeprefix(PACKAGE), function.__qualname__, _code_text(code), within,
                 source_hash(code.co_filename), options))  # fmt: skip
    if not seen:
        text = _identities[function] = _hashed(text)
    return text


def _name_steadily(options):
    """Functions that are kept get the same name in every process."""
    made = bytecode.FunctionIdentity.from_function.__func__

    def from_function(cls, function):
        self = made(cls, function)
        if _expected and _expected[-1] is self.func:
            self.unique_id = _identity(_expected.pop(), options)[:10]
        else:
            self.unique_id = f"{_PROCESS}{os.getpid():x}x{self.unique_id}"
        self.unique_name = f"{self.func_qualname}${self.unique_id}"
        return self

    bytecode.FunctionIdentity.from_function = classmethod(from_function)


def _rebuilt(target, content):
    """The CompileResult of what was written."""
    # The rest of what numba prepares serves compiling alone.
    rtsys.initialize(target)
    return compiler.CompileResult._rebuild(target, *read(content))
