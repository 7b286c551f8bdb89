"""What a run shows while it is in work: the line of its state, and its frames in the viewport."""

from ...solver.base.refusal import SceneError, TrajectoryError
from ..base.windows import redraw_status
from .live import LiveView


class RunView:
    """Shows a run in the windows."""

    def __init__(self, follow=True):
        """follow: whether frames are shown, too."""
        self._shown, self._live, self._follow = "", None, follow

    def show(self, run, context):
        """Bring what is shown up to date."""
        if self._follow:
            self._show_frames(run, context)
        status = run.job.status()
        if status != self._shown:
            self._shown = status
            redraw_status(context)

    def _show_frames(self, run, context):
        if self._live is None:
            self._live = LiveView(run)
        try:
            self._live.update(context)
        except (SceneError, TrajectoryError):
            # The frames are being taken away: the end of the run tells why.
            self._live.close()
            self._follow = False

    def close(self):
        """Show nothing any more."""
        if self._live is not None:
            self._live.close()
