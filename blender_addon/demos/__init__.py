"""The demo scenes: one file and one line here each, with `build(scene)` and FRAMES."""

from . import funnel, hoppers, soft

DEMOS = {"funnel": funnel, "soft": soft, "hoppers": hoppers}
