"""The plots of a study, drawn with matplotlib from its Outcome.

To add one: write its function, and a line in DRAWERS.
"""

from .flow import beverloo_fit, discharge_curves, wall_load
from .jam import clog_probability, jam_map, survival_curves, tornado
from .quality import quality_panel
from .state import force_chains

DRAWERS = (
    clog_probability,
    jam_map,
    discharge_curves,
    beverloo_fit,
    survival_curves,
    force_chains,
    wall_load,
    tornado,
    quality_panel,
)


def draw_all(outcome):
    """Draw every plot that the study has data for: [Figure, ...]."""
    return [figure for draw in DRAWERS if (figure := draw(outcome)) is not None]
