"""The project's sources as trees. Imports are kept, trees are not: theirs are millions of objects, over which each
later search for unreachable ones would go."""

import ast
import functools


def tree(path):
    """ast.Module of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def _statements(nodes):
    """Nodes and all statements within them, at any depth; expressions hold none."""
    for node in nodes:
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from _statements(getattr(node, part, ()))


@functools.cache
def imports(path):
    """All Import and ImportFrom nodes of a file, those within functions too, found once a process."""
    return [node for node in _statements(tree(path).body) if isinstance(node, (ast.Import, ast.ImportFrom))]
