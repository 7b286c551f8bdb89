"""Modules that are loaded when something of them is used first, so that a run that needs none of it starts sooner."""

import importlib


class late:
    """Stands for a module until it is used: sparse = late("scipy.sparse"), build = late(".build", __package__)."""

    def __init__(self, name, package=None):
        self._name, self._package = name, package

    def __getattr__(self, attribute):
        value = getattr(importlib.import_module(self._name, self._package), attribute)
        # Found at once the next time.
        setattr(self, attribute, value)
        return value
