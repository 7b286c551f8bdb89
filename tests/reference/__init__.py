"""Second implementations in plain numpy, written from the definitions alone: what the kernels are tested against."""
