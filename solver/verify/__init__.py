"""An independent check of a recorded run, in plain numpy: it imports nothing of the solver, and reads its files alone.

What is checked is stated in docs/verify.md, equation by equation. `reading` reads the files, `mechanics` holds the
equations of rigid bodies, `distance` those of shapes, `laws` those of contacts, `checks` compares, and `report` says
what was found.
"""

from .reading import NotVerifiable
from .report import verify

__all__ = ["NotVerifiable", "verify"]
