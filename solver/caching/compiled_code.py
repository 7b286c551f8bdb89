"""Compiled functions of numba as files, and back within a few milliseconds each."""

import hashlib
import io
import os
import pickle
import sys
import uuid

import llvmlite.binding
from numba.core import compiler, environment, serialize
from numba.core.runtime.nrt import rtsys

PACKAGE = __name__.rsplit(".", 2)[0]


def exported(result):
    """Names that the code of a CompileResult defines."""
    module = result.library._get_module_for_linking()
    return [value.name for values in (module.functions, module.global_variables) for value in values
            if not value.is_declaration]  # fmt: skip


def rebuilt(target_context, payload):
    """The CompileResult of what was written: (names that it defines, its parts).

    Numba would parse the code's LLVM form, which takes most of the time and serves only those who compile a caller:
    here it is parsed when they ask for it. Code that came with the package has none (`without_form`).
    """
    names, parts = payload
    # The rest of what numba prepares serves compiling alone.
    rtsys.initialize(target_context)
    result = compiler.CompileResult._rebuild(_Context(target_context, names), *parts)
    return result._replace(target_context=target_context)


def has_form(payload):
    """Whether callers can be compiled against what was written."""
    return bool(payload[1][0][2][1])


def without_form(payload):
    """What was written, to be called from Python alone: two thirds smaller, and four fifths when packed."""
    names, (library, *rest) = payload
    name, kind, (object_code, _) = library
    return names, ((name, kind, (object_code, b"")), *rest)


class _Context:
    """Numba's target context, whose libraries are made of object code."""

    def __init__(self, context, names):
        self._context, self._names = context, names

    def __getattr__(self, name):
        return getattr(self._context, name)

    def codegen(self):
        return self

    def unserialize_library(self, state):
        name, kind, (object_code, form) = state
        if kind != "object":
            raise ValueError(f"compiled code of kind {kind!r}")
        codegen = self._context.codegen()
        library = codegen.create_library(name)
        library.enable_object_caching()
        library._set_compiled_object(object_code)
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(self._names)

        def module_for_linking():
            if library._shared_module is None:
                library._shared_module = llvmlite.binding.parse_bitcode(form)
            return library._shared_module

        library._get_module_for_linking = module_for_linking
        return library


def write_code(path, payload):
    """Write a file as a whole: who reads it meanwhile sees the old one or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{uuid.uuid4().hex[:12]}.tmp")
    try:
        unfinished.write_bytes(to_bytes(payload))
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def read_code(path):
    """What `write_code` wrote; None where there is no such file, or it is damaged."""
    try:
        return from_bytes(path.read_bytes())
    except OSError:
        return None


def to_bytes(payload):
    """Compiled code as the content of a file: a digest of the rest, the name of this package, the code."""
    content = PACKAGE.encode() + b"\n" + serialize.dumps(payload)
    return hashlib.sha256(content).digest() + content


def from_bytes(content):
    """What `to_bytes` was given; None where it is damaged."""
    digest, content = content[:32], content[32:]
    if hashlib.sha256(content).digest() != digest:
        return None
    package, _, data = content.partition(b"\n")
    return _Unpickler(data, package.decode()).load()


def _environment(module, consts, name):
    """Numba's environment of a compiled function, without importing its module: machine code without the interpreter
    reads the constants alone, and some modules of numba load the whole of scipy.linalg."""
    known = environment.lookup_environment(name)
    if known is not None:
        return known
    loaded = sys.modules.get(module)
    made = environment.Environment(loaded.__dict__ if loaded else {"__name__": module})
    made.consts[:] = consts
    made.env_name = name
    environment.Environment._memo[name] = made
    return made


class _Unpickler(pickle.Unpickler):
    """Reads what was written under another name of the package."""

    def __init__(self, data, written_under):
        super().__init__(io.BytesIO(data))
        self._written_under = written_under

    def _here(self, module):
        inside = module == self._written_under or module.startswith(self._written_under + ".")
        return PACKAGE + module[len(self._written_under) :] if inside else module

    def find_class(self, module, name):
        if (module, name) == (environment.__name__, "_rebuild_env"):
            return lambda module, *rest: _environment(self._here(module), *rest)
        return super().find_class(self._here(module), name)
