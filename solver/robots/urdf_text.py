"""The XML of a URDF file, with what readers of such files forgive put right; each kind of repair is named once."""

import os
import re
import xml.etree.ElementTree as ElementTree

from ..base.refusal import SceneError

# Attributes that are vectors of three numbers.
VECTORS = ("xyz", "rpy", "size", "scale", "normal")
# Attributes that are one number.
NUMBERS = ("radius", "length", "value", "lower", "upper", "effort", "damping", "friction", "multiplier", "offset",
           "ixx", "iyy", "izz", "ixy", "ixz", "iyz")  # fmt: skip
# What C's strtod, by which other readers read numbers, takes of a text; without what is no finite number.
NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
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
    end = text.rfind(">") + 1
    if text[end:].strip():
        notes.append(f"{text[end:].strip()[:20]!r} after the XML is skipped")
        text = text[:end]
    # An encoding that is stated is that of bytes; ElementTree refuses it in text.
    text = re.sub(r"^(<\?xml[^>]*?)\s+encoding=(\"[^\"]*\"|'[^']*')", r"\1", text, count=1)
    text, count = OPTIONAL.subn(lambda found: os.environ.get(found[1], found[2].strip()), text)
    if count:
        notes.append(f"{_times(count, '$(optenv ...)')} replaced by the variable of the environment, or its default")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise SceneError(f"{path}: not well-formed XML ({error}); correct that place") from None
    return root, notes + _without_namespaces(root) + _mended_vectors(root) + _mended_numbers(root)


def _without_namespaces(root):
    """Take the namespaces, which a URDF file has no use for, from the tags; returns notes."""
    named = [element for element in root.iter() if "}" in element.tag]
    for element in named:
        element.tag = element.tag.rpartition("}")[2]
    return ["the namespace of its elements is left out"] if named else []


def _mended_numbers(root):
    """Cut numbers behind what other readers take of them; returns notes."""
    cut = []
    for element in root.iter():
        for name in NUMBERS:
            text = element.get(name)
            found = None if text is None else NUMBER.match(text)
            if found is not None and found[0].strip() != text.strip():
                cut.append(f"{element.tag} {name}={text!r}")
                element.set(name, found[0].strip())
    return [f"{_times(len(cut), 'number')} cut behind the number (first {cut[0]})"] if cut else []


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
