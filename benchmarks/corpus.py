"""The contact problems that are kept as files: those of the tests, and larger ones."""

from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDERS = (HERE.parent / "tests" / "data" / "contact_problems", HERE / "data" / "contact_problems")


def all_problems(wanted):
    """Paths of the problems whose name holds one of the words in `wanted`; all for no words."""
    found = sorted((path for folder in FOLDERS for path in folder.glob("*.npz")), key=lambda path: path.stem)
    return [path for path in found if not wanted or any(word in path.stem for word in wanted)]
