"""The plots of a run as a picture, by matplotlib. Exit code 0: drawn; 4: there is no matplotlib."""

from pathlib import Path

NO_MATPLOTLIB = 4


def main(folder, picture, frame_start, fps):
    """Draw the run in `folder` into `picture` (.png) over Blender's frames; returns the exit code."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return NO_MATPLOTLIB
    from ..running.frames import RunFrames
    from .plot_data import joint_panels, panels

    frames = RunFrames(Path(folder)).load()
    at = float(frame_start) + frames.steps["time"] * float(fps)
    of_steps, of_joints = panels(frames.steps, frames.header), joint_panels(frames)
    rows = 2 + (len(of_joints) + 2) // 3
    figure = Figure(figsize=(15, 4 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    places = figure.subplots(rows, 3).ravel()
    _draw(places, of_steps, at)
    _draw(places[len(of_steps) :], of_joints, float(frame_start) + frames.times * float(fps))
    for axes in places[len(of_steps) + len(of_joints) :]:
        axes.set_axis_off()
    figure.suptitle(f"{frames.header['scene']}: {len(at)} steps, method {frames.header['method']}")
    figure.savefig(picture, dpi=100)
    return 0


def _draw(places, panels, at):
    """Draw panels over frames `at`."""
    for axes, panel in zip(places, panels, strict=False):
        for label, values in panel.series.items():
            axes.plot(at, values, label=label, linewidth=1, linestyle="--" if label == "unexplained" else "-")
        if panel.level:
            axes.axhline(panel.level, color="0.5", linewidth=0.8, linestyle=":", label="aim")
        axes.set(title=panel.title, xlabel="frame")
        if panel.log:
            axes.set_yscale("log")
        if len(panel.series) > 1 or panel.level:
            axes.legend(fontsize=8)
        axes.grid(alpha=0.25)
