"""All kernels as one shared library, called from Python through one small module in C: neither numba nor LLVM is
loaded. docs/kernels.md explains it."""
