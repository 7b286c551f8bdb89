"""A layout that notes what panels draw, so that tests can read a panel without a window."""

from types import FunctionType, SimpleNamespace

import bpy


class Layout:
    """Stands for bpy.types.UILayout; `fields`, `labels`, `operators`, `menus`, `bars` hold what was drawn, sub-layouts
    included; `iconed` the labels beside an icon."""

    def __init__(self, root=None):
        self.__dict__["root"] = root or self
        if root is None:
            self.__dict__.update(fields=[], labels=[], iconed=[], operators=[], menus=[], bars=[])

    def __setattr__(self, name, value):
        pass

    def _sub(self, *_args, **_keywords):
        return Layout(self.root)

    row = column = split = box = column_flow = grid_flow = _sub

    def prop(self, group, name, **_keywords):
        """A field; a property that does not exist is an error, as in Blender."""
        assert name in group.bl_rna.properties, f"{group} has no property {name}"
        self.root.fields.append(name)

    def prop_search(self, group, name, data, found_in, **_keywords):
        """A field that chooses among others."""
        assert found_in in data.bl_rna.properties, f"{data} has no property {found_in}"
        self.prop(group, name)

    def label(self, text="", icon="NONE", **_keywords):
        """A text."""
        self.root.labels.append(text)
        if icon != "NONE":
            self.root.iconed.append(text)

    def operator(self, name, **_keywords):
        """A button; an operator that does not exist is an error."""
        room, _, verb = name.partition(".")
        getattr(getattr(bpy.ops, room), verb).get_rna_type()
        self.root.operators.append(name)
        return SimpleNamespace()

    def operator_menu_enum(self, name, _property, **keywords):
        """A menu of an operator's choices."""
        return self.operator(name, **keywords)

    def menu(self, name, **_keywords):
        """A menu."""
        assert hasattr(bpy.types, name), name
        self.root.menus.append(name)

    def template_list(self, listtype, *_args, **_keywords):
        """A list."""
        assert hasattr(bpy.types, listtype), listtype

    def separator(self, **_keywords):
        """A gap."""

    def progress(self, text="", **_keywords):
        """A bar."""
        self.root.bars.append(text)

    def __getattr__(self, name):
        if name.startswith("template") or name.startswith("prop"):
            return lambda *_args, **_keywords: None
        raise AttributeError(name)


def panels(context, closed=True):
    """The panels of the tab that would show; closed: also those that start folded."""
    from stiction import ui

    for cls in ui._classes():
        if not issubclass(cls, bpy.types.Panel) or (hasattr(cls, "poll") and not cls.poll(context)):
            continue
        if closed or "DEFAULT_CLOSED" not in getattr(cls, "bl_options", ()):
            yield cls


def draw(cls, context, layout):
    """Draw one panel into a Layout."""
    panel = SimpleNamespace(layout=layout)
    members = {name: getattr(cls, name) for base in reversed(cls.__mro__[:-1]) for name in vars(base)}
    for name, member in members.items():
        if isinstance(member, FunctionType) and not name.startswith("__"):
            setattr(panel, name, member.__get__(panel))
    if hasattr(cls, "draw_header"):
        cls.draw_header(panel, context)
    cls.draw(panel, context)


def draw_all(context, closed=True):
    """Draw these panels; returns the Layout."""
    layout = Layout()
    for cls in panels(context, closed):
        draw(cls, context, Layout(layout))
    return layout
