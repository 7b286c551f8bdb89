"""The only place that configures numba; `caching/kernel_cache.py` keeps what it compiles."""

import os
import platform

import numba

from .caching.kernel_cache import is_kept, keep_on_disk

# False where kernels run as plain Python, to be looked into.
COMPILED = not numba.config.DISABLE_JIT
KERNEL = {"nogil": True, "error_model": "numpy"}
INNER = {**KERNEL, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
# Processors that kernels are compiled for: LLVM's name, and what a processor must have to run them. Every PC since 2013
# to 2015 and every Mac since 2020 qualifies, and compiled kernels can be shipped.
BASELINES = {
    "x86_64": ("x86-64-v3", ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")),
    "amd64": ("x86-64-v3", ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")),
    "arm64": ("apple-m1", ()),
}


def baseline():
    """LLVM's name of the processor to compile for; None for just the one this runs on, where it is below the baseline.

    Linux calls its 64-bit ARM processors aarch64: there is no baseline for these.
    """
    import llvmlite.binding

    name, needed = BASELINES.get(platform.machine().lower(), (None, ()))
    has = llvmlite.binding.get_host_cpu_features() if needed else {}
    return name if all(has.get(feature) for feature in needed) else None


def processor():
    """Name of the processor that kernels are compiled for."""
    import llvmlite.binding

    return f"{platform.system()}-{platform.machine()}-{numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name()}"


def _choose_processor():
    """Compile for the baseline, unless the person has chosen another processor."""
    name = baseline()
    if name and "NUMBA_CPU_NAME" not in os.environ:
        numba.config.CPU_NAME, numba.config.CPU_FEATURES = name, ""


def kernel(function):
    """Compile `function` to machine code that runs without the interpreter lock and is kept on disk."""
    compiled = numba.njit(**KERNEL)(function)
    if COMPILED:
        keep_on_disk(compiled, repr((KERNEL, INNER)))
    return compiled


class OfKnownTypes:
    """A kernel for calls with arguments of the same types again and again: to ask for the types of arrays in tuples
    takes 0.2 us each, several times as long as small scenes need for all the rest of the call."""

    def __init__(self, function):
        self._function, self._entry = function, None

    def __call__(self, same, *given):
        """What the kernel returns for `given`; same: whether all of it has the types, to the layout of each array, that
        it had in the call before. It is not looked at: if it has others, memory is read that is not its own."""
        if not same or not COMPILED:
            self._entry = None
            return self._function(*given)
        if self._entry is None:
            types = tuple(self._function.typeof_pyval(value) for value in given)
            self._entry = self._function.overloads[types].entry_point
        return self._entry(*given)


def is_compiled(function):
    """Whether compiled code of a kernel is on disk, or there is none to be."""
    return not COMPILED or is_kept(function.py_func)


def inner(function):
    """Compile `function` for calls from kernels only: no entry from Python and no file of its own.

    Its code is part of every kernel that uses it, and of that kernel's file; without the entry from Python
    it compiles in two thirds of the time.
    """
    return numba.njit(**INNER)(function)


_choose_processor()
