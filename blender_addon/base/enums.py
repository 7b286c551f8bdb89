"""Enumerations whose items are rows of a table: upper case in Python, as all of Blender's are.

A .blend keeps the number of an item, its place in the table: names may change, places may not.
"""

import re

# Class attribute of a property group: names of the enumerations whose items are keys of the solver.
OF_SOLVER = "solver_keys"


def identifier(key):
    """Name of the item of a key of a table: "ciarlet_geymonat" is CIARLET_GEYMONAT."""
    return re.sub(r"\W+", "_", str(key)).upper()


def solver_key(name):
    """The solver's key of an item."""
    return name.lower()


def keys_by_identifier(table):
    """{name of the item: key} of a table, whatever its keys look like."""
    return {identifier(key): key for key in table}


def items_of(rows):
    """Items of an enumeration of rows (key, label, description)."""
    return [(identifier(key), label, description) for key, label, description in rows]
