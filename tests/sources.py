"""The project's sources as trees, each file parsed once a process however many tests look at it."""

import ast
import functools


@functools.cache
def tree(path):
    """ast.Module of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imports(path):
    """All Import and ImportFrom nodes of a file, those within functions too."""
    return [node for node in ast.walk(tree(path)) if isinstance(node, (ast.Import, ast.ImportFrom))]
