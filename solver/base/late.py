"""Libraries that are loaded when something of them is used first, so that a run that needs none of it starts sooner."""

import importlib


class late:
    """Stands for the module `name` until it is used: sparse = late("scipy.sparse")."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        value = getattr(importlib.import_module(self._name), attribute)
        # Found at once the next time.
        setattr(self, attribute, value)
        return value
