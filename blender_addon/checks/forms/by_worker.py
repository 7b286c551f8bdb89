"""What the last bake of a scene was refused for by its worker, which knows more than the checks: until the next one, or
until it is mended."""

import re

# Of an object or a body, and what is wrong with it.
NAMED = re.compile(r"(?:object|body) '(.+?)': (.+)", re.DOTALL)

_said = {}


def remember(scene, sentence):
    """Keep what a bake of a scene ended with; "" for nothing."""
    found = NAMED.match(sentence)
    if found is None:
        _said.pop(scene.session_uid, None)
    else:
        _said[scene.session_uid] = found.groups()


def said_of(subjects, scene):
    """(name, what is said of it) of the one of the Subjects that the last bake was refused for, though it was accepted;
    ("", "") where there is none."""
    name, text = _said.get(scene.session_uid, ("", ""))
    subject = subjects.get(name)
    return (name, text) if subject is not None and not subject.refusal else ("", "")


def mended(scene, names):
    """Forget what was said of one of these objects."""
    if _said.get(scene.session_uid, ("", ""))[0] in names:
        remember(scene, "")
