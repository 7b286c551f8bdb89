"""The only place that configures numba: functions become kernels where no library has them."""

import os
import platform

import numba

from .compiler import is_known
from .folder import cache_root
from .sources import package_hash
from .ways import NUMBA, way

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


def _make_keeper():
    """The Keeper of compiled code; None where numba compiles, and keeps, its own way."""
    if not COMPILED:
        return None
    if way() == NUMBA or not is_known():
        # Numba does not see an edited callee in another file: a folder for each state of the sources.
        numba.config.CACHE_DIR = str(cache_root() / f"numba-{numba.__version__}-{package_hash()}")
        return None
    from .keeper import make_keeper

    return make_keeper(repr((KERNEL, INNER, processor(), numba.config.CPU_FEATURES)))


def kernel(function):
    """Compile `function` to machine code that runs without the interpreter lock and is kept on disk."""
    if KEEPER is None:
        return numba.njit(cache=COMPILED, **KERNEL)(function)
    return KEEPER.keep(numba.njit(**KERNEL)(function), entry=True)


def is_compiled(function):
    """Whether compiled code of a kernel is on disk, or there is none to be found out about."""
    return KEEPER is None or KEEPER.has(function.py_func)


def inner(function):
    """Compile `function` for calls from kernels only, without an entry from Python."""
    compiled = numba.njit(**INNER)(function)
    return compiled if KEEPER is None else KEEPER.keep(compiled)


_choose_processor()
KEEPER = _make_keeper()
