"""The XML of a URDF file, with what readers of such files forgive put right; each kind of repair is named once."""

import os
import re
import xml.etree.ElementTree as ElementTree

from ..base.refusal import SceneError

# Attributes that are vectors of three numbers.
VECTORS = ("xyz", "rpy", "size", "scale", "normal")
OPTIONAL = re.compile(r"\$\(optenv\s+(\w+)\s*([^)]*)\)")


def read_xml(path):
    """(root element, notes) of an XML file. SceneError where it is none."""
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except FileNotFoundError:
        raise SceneError(f"{path}: no such file") from None
    notes = []
    if text[:1].isspace():
        text = text.lstrip()
        notes.append("blank lines before the XML are skipped")
    # An encoding that is stated is that of bytes; ElementTree refuses it in text.
    text = re.sub(r"^(<\?xml[^>]*?)\s+encoding=(\"[^\"]*\"|'[^']*')", r"\1", text, count=1)
    text, count = OPTIONAL.subn(lambda found: os.environ.get(found[1], found[2].strip()), text)
    if count:
        notes.append(f"{_times(count, '$(optenv ...)')} replaced by the variable of the environment, or its default")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise SceneError(f"{path}: not well-formed XML ({error}); correct that place") from None
    return root, notes + _mended_vectors(root)


def _mended_vectors(root):
    """Rewrite vectors that are not three numbers between blanks; returns notes."""
    commas, longer, single = [], [], []
    for element in root.iter():
        for name in VECTORS:
            text = element.get(name)
            if text is None:
                continue
            where = f"{element.tag} {name}={text!r}"
            words = text.replace(",", " ").split()
            if "," in text:
                commas.append(where)
            if len(words) > 3:
                longer.append(where)
            if name == "scale" and len(words) == 1:
                single.append(where)
                words = words * 3
            element.set(name, " ".join(words[:3]))
    said = (
        (commas, "written with commas, read as with blanks"),
        (longer, "of more than three numbers, the first three taken"),
        (single, "of one number, taken along all axes"),
    )
    return [f"{_times(len(found), 'vector')} {what} (first {found[0]})" for found, what in said if found]


def _times(count, noun):
    return f"{count} {noun}{'s' if count != 1 and noun[-1].isalpha() else ''}"
