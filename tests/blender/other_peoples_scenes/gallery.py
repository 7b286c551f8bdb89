"""Scenes as tutorials and answers in forums build them: SCENES, by name (frames, builder). A builder returns what
must hold of the Film."""

import gallery_engines  # noqa: F401
import gallery_falling  # noqa: F401
import gallery_gathered  # noqa: F401
import gallery_joined  # noqa: F401
import gallery_made  # noqa: F401
import gallery_measured  # noqa: F401
import gallery_more  # noqa: F401
import gallery_odd  # noqa: F401
import gallery_set_up  # noqa: F401
import gallery_strange  # noqa: F401
import gallery_workshop  # noqa: F401
from gallery_base import SCENES

__all__ = ["SCENES"]
