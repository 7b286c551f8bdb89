"""What a run shows while it is in work: the line of its state wherever it is drawn."""

from .windows import redraw_status


class RunView:
    """Shows a run in the windows."""

    def __init__(self):
        self._shown = ""

    def show(self, run, context):
        """Bring what is shown up to date."""
        status = run.job.status()
        if status != self._shown:
            self._shown = status
            redraw_status(context)

    def close(self):
        """Show nothing any more."""
