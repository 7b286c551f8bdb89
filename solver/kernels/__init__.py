"""How kernels become machine code: found on disk, or each function compiled once. docs/kernels.md explains it."""
