"""Run: what a simulation gave, for Python; its arrays are those of `stiction extract`, read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from ..base.refusal import TrajectoryError
from ..base.wording import counted
from ..results import run_plots
from ..results.blend import write_blend
from ..results.extract import extracted_arrays
from ..results.picture import png_of
from ..results.summary import run_summary
from ..scene import Scene
from ..trajectory import Trajectory, read_header
from .kinds import path_of


class Run(Mapping):
    """A run: F frames of R bodies, S steps.

    Run(folder) opens the folder of a run; `simulate` returns one that may be in memory alone. As a mapping it has
    every array that `stiction extract` writes, by name: run["residual"] (S,) [m/s], run["joint_force"] (F,J,6), ...;
    docs/formats.md lists them with their units.

        run = st.Run("run")
        print(run.names, run.time[-1], run["contact_count"].max())
    """

    def __init__(
        self, source: str | PathLike | Trajectory, scene: Scene | None = None, folder: str | PathLike | None = None
    ) -> None:
        """source: folder of a run, or a Trajectory; scene: the Scene it was made of, for pictures; folder: where a
        Trajectory was written, None for one that is in memory alone.

        TrajectoryError for a folder that holds no run.
        """
        self.scene = scene
        if isinstance(source, Trajectory):
            self.folder, self.header = folder, source.header
            self.trajectory = source
        else:
            self.folder, self.header = source, read_header(path_of(source, "the folder of a run", TrajectoryError))
        if scene is not None and not isinstance(scene, Scene):
            raise TrajectoryError(f"scene is {scene!r:.60}; give the Scene that the run was made of")
        if scene is not None and tuple(body.name for body in scene.bodies) != self.names[: len(scene.bodies)]:
            raise TrajectoryError(f"scene {scene.name!r}: its bodies are not those of the run; give the run's own")

    @cached_property
    def trajectory(self) -> Trajectory:
        """All frames, as the program keeps them."""
        return Trajectory.load(self.folder)

    @cached_property
    def _arrays(self) -> Mapping[str, np.ndarray]:
        return extracted_arrays(self.trajectory, self.folder)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._arrays:
            if name in self.names:
                places = f"run.position[:, {self.names.index(name)}]"
                raise KeyError(f"{name!r} is a body, not an array; its places are {places}")
            raise KeyError(f"no array {name!r} in this run; there are {', '.join(self._arrays)}")
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    # A mapping compares its arrays, and what can be equal to others cannot be kept in sets.
    __eq__, __hash__ = object.__eq__, object.__hash__

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bodies (R,), in the order of all arrays."""
        return tuple(self.header["names"])

    @property
    def time(self) -> np.ndarray:
        """Times of the frames (F,) [s]."""
        return self["time"]

    @property
    def position(self) -> np.ndarray:
        """Positions (F,R,3) [m] of the frames of the shapes."""
        return self["position"]

    @property
    def center_of_mass(self) -> np.ndarray:
        """Centres of mass (F,R,3) [m]."""
        return self["center_of_mass"]

    @property
    def orientation(self) -> np.ndarray:
        """Orientations (F,R,4), quaternions w, x, y, z."""
        return self["orientation"]

    @property
    def velocity(self) -> np.ndarray:
        """Velocities (F,R,3) [m/s] of the centres of mass."""
        return self["velocity"]

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocities (F,R,3) [rad/s], world frame."""
        return self["angular_velocity"]

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What `stiction simulate --json` prints: method, steps, times, largest overlap [m] and residual [m/s], energy
        [J], notes and warnings."""
        return run_summary(self.trajectory)

    def plot_energy(self, axes: Any = None) -> Any:
        """Plot energies [J] and losses over time [s] into matplotlib's axes, new ones if none are given; returns them.

        run.plot_energy().figure.savefig("energy.png")
        """
        return self._plot(run_plots.draw_energy, axes)

    def plot_contacts(self, axes: Any = None) -> Any:
        """Plot the number of contacts over time [s] into matplotlib's axes, new ones if none are given; returns them.

        run.plot_contacts().figure.savefig("contacts.png")
        """
        return self._plot(run_plots.draw_contacts, axes)

    def to_blend(self, path: str | PathLike, overwrite: bool = False) -> None:
        """Write bodies and motion to a .blend file, one object a body, to be opened and rendered in Blender.

        path: the file, which must not be there unless overwrite. Blender's Python module makes it, in a process of
        its own. TrajectoryError for a file that cannot be written, for a run whose scene is not known, and where that
        module is missing.

            run.to_blend("run.blend")
        """
        if self.scene is None:
            raise TrajectoryError("the shapes of this run are not known; give its scene: Run(folder, scene=scene)")
        write_blend(self.trajectory, self.scene, path_of(path, "the .blend file", TrajectoryError), overwrite)

    def _plot(self, draw: Callable, axes: Any) -> Any:
        axes = run_plots.new_axes() if axes is None else axes
        draw(self.trajectory, axes)
        return axes

    def _repr_png_(self) -> bytes | None:
        """The last frame, as notebooks show it; none of a run whose scene is not known."""
        return None if self.scene is None else png_of(self.trajectory, self.scene)

    def __repr__(self) -> str:
        said = self.summary
        left = said["steps_not_accepted"]
        return (
            f"<Run of {said['scene']}: {counted(len(self.names), 'body')}, {said['time']:g} s in "
            f"{counted(said['steps'], 'step')}, residual at most {said['residual_max']:.2g} m/s, "
            f"overlap at most {said['overlap_max']:.2g} m, "
            + ("all steps accepted>" if left == 0 else f"{left} steps not accepted>")
        )
