"""Link every kernel of the list into one shared library, with a manifest that says what is in it.

The machine code is that of the store, to the bit: pieces are put together, nothing is compiled again. A C compiler is
needed for memory.cpp, for one entry a kernel that takes all arguments in one struct, for caller.c, and to link.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numba
import numpy as np

from ..compiler import by_pointer
from ..compiler.pieces import pieces_of
from ..compiler.separate import without_entries
from ..load import ABI, ALL, MANIFEST, digest_of, digest_of_code, imported
from ..signatures import Table, read
from ..sources import closure
from . import layout

HERE = Path(__file__).parent
LIBRARY = "kernels.pyd" if sys.platform == "win32" else "kernels.abi3.so"
# Sources besides those of kernels that a library depends on.
_OWN = ("kernels/signatures.json", *(f"kernels/library/{name}" for name in ("caller.c", "layout.py", "link.py",
        "memory.cpp")))  # fmt: skip
# Flags for C code, and for linking all of it: of the symbols only the module's own is seen from outside.
_C = "-c", "-O2", "-fPIC", "-w", "-Werror=implicit-function-declaration"
_EXPORTED = "PyInit_kernels"


class LinkError(RuntimeError):
    """The library could not be made; the text says why, and what to do."""


class NoCompilerError(LinkError):
    """There is nothing to link with."""


def c_compiler():
    """The C compiler to link with, or None."""
    return os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def link(keeper, folder, processor, use=ALL):
    """Write the library to a folder, which is made, or replaced once the new one is whole. processor: LLVM's name of
    the one that kernels are compiled for; use: what its kernels are for. Raises LinkError, of which NoCompilerError is
    one."""
    compiler = c_compiler()
    if compiler is None:
        raise NoCompilerError("no C compiler was found to link a library with (gcc, say)")
    folder = Path(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="stiction-link-", dir=folder.parent) as name:
        room, stage = Path(name), Path(name) / "library"
        stage.mkdir()
        with without_entries():
            manifest, symbols, code = _entries(use)
        manifest |= {"use": use, "abi": ABI, "library": LIBRARY, "processor": processor, "numba": numba.__version__}
        manifest |= _sources(manifest)
        objects = [_written(room / f"{number}.o", piece) for number, piece in enumerate(pieces_of(keeper, symbols))]
        objects += _compiled(compiler, room, code, processor)
        _link(compiler, room, stage / LIBRARY, objects)
        _try(stage / LIBRARY)
        manifest["code"] = digest_of_code(stage / LIBRARY)
        (stage / MANIFEST).write_text(json.dumps(manifest, separators=(",", ":")), encoding="utf-8")
        if folder.exists():
            folder.rename(room / "before")
        stage.rename(folder)


def _sources(manifest):
    """The files that the library is made of, and the digest of what they say."""
    modules = {kernel.partition(":")[0].removeprefix("solver.") for kernel in manifest["kernels"]}
    files = sorted({*closure(module.replace(".", "/") + ".py" for module in modules), *_OWN})
    return {"files": files, "digest": digest_of(files)}


def _entries(use):
    """(manifest with "types" and "kernels": {kernel: [[number, types of arguments, type of the result]]}, symbols of
    the kernels by number, C code of the entries)."""
    table, kernels, symbols, lines = Table(), {}, [], ["#include <stddef.h>"]
    for entry in read(use):
        dispatcher = entry.dispatcher()
        if dispatcher is None:
            continue
        dispatcher.compile(entry.arguments)
        result = dispatcher.overloads[entry.arguments]
        number, symbol = len(symbols), result.fndesc.llvm_func_name
        symbols.append(symbol)
        places = [table.place(kind) for kind in entry.arguments]
        returned = table.place(result.signature.return_type)
        kernels.setdefault(entry.kernel, []).append([number, places, returned])
        lines += _entry_code(table.forms, number, symbol, places)
    names = ", ".join(f"stiction_{number}" for number in range(len(symbols)))
    lines += [f"int (*const stiction_entries[])(void *, void **, const char *) = {{{names}}};",
              f"const ptrdiff_t stiction_count = {len(symbols)};"]  # fmt: skip
    return {"types": table.forms, "kernels": kernels}, symbols, "\n".join(lines) + "\n"


def _entry_code(table, number, symbol, places):
    plan, given = layout.Plan(table), []
    for place in places:
        given += _handed(table, place, plan.add(place))
    takes = ", ".join(["void *", "void **", *(kind for _, kind in given)])
    values = ", ".join(["r", "x", *(text for text, _ in given)])
    # Symbols of macOS begin with an underscore.
    name = "_" * (sys.platform == "darwin") + symbol
    takes_all = f"static int stiction_{number}(void *r, void **x, const char *a)"
    return [f'extern int k{number}({takes}) __asm__("{name}");', f"{takes_all} {{ return k{number}({values}); }}"]


def _handed(table, place, offset):
    """(C expression, type) of everything that a kernel takes for an argument at an offset of the struct `a`."""
    kind, *rest = table[place]
    if kind == "scalar":
        text = layout.SCALARS[rest[0]][1]
        return [(f"*(const {text} *)(a + {offset})", text)]
    if layout.measure(table, place).scalars > by_pointer.LEAST:
        return [(f"a + {offset}", "const void *")]
    if kind != "tuple":
        raise LinkError(f"a kernel takes {table[place]}, which the library's entries have no form for")
    found, at = [], offset
    for one in rest[1]:
        size, alignment, _ = layout.measure(table, one)
        at = layout.aligned(at, alignment)
        found += _handed(table, one, at)
        at += size
    return found


def _written(path, content):
    path.write_bytes(content)
    return path


def _compiled(compiler, room, entries, processor):
    """Object files of the C code."""
    (room / "entries.c").write_text(entries)
    level = ["-DSTICTION_V3"] if processor.endswith("x86-64-v3") else []
    _run(compiler, *_C, "-I", sysconfig.get_paths()["include"], "-I", np.get_include(), *level, "-o", room / "caller.o",
         HERE / "caller.c")  # fmt: skip
    _run(compiler, *_C, "-o", room / "entries.o", room / "entries.c")
    _run(compiler, *_C, "-fno-exceptions", "-fno-rtti", "-x", "c++", "-o", room / "memory.o", HERE / "memory.cpp")
    return [room / f"{name}.o" for name in ("caller", "entries", "memory")]


def _link(compiler, room, target, objects):
    listed = _written(room / "objects", "\n".join(f'"{path.as_posix()}"' for path in objects).encode())
    if sys.platform.startswith("linux"):
        script = _written(room / "exported", f"{{ global: {_EXPORTED}; local: *; }};\n".encode())
        # Whatever is missing is noticed as the library is loaded, not at a call.
        flags = ["-s", "-Wl,--gc-sections", "-Wl,-z,now", f"-Wl,--version-script={script}"]
    elif sys.platform == "darwin":
        flags = ["-undefined", "dynamic_lookup", "-Wl,-dead_strip", f"-Wl,-exported_symbol,_{_EXPORTED}"]
    else:
        flags = ["-L", Path(sys.base_prefix) / "libs", "-lpython3"]
    _run(compiler, "-shared", "-o", target, f"@{listed}", "-lm", *flags)


def _try(path):
    try:
        imported(path)
    except ImportError as error:
        raise LinkError(f"what was linked cannot be loaded ({error})") from None


def _run(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode:
        raise LinkError(f"{Path(command[0]).name} failed on {platform.machine()}: {done.stderr.strip()[-2000:]}")
