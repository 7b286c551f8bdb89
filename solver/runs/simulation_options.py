"""Options of a simulation. No kernels here: panel and command line read this file without loading numba."""

from dataclasses import field

from ..base.records import record
from ..collision.contact_generators import CONTACT_GENERATORS, DEFAULT
from ..options import OptionError, Options, option
from ..stepping.overlap_treatments import OVERLAP_TREATMENTS

EFFORT, ACCEPTABLE = 1_000_000, 3e-3
# About a minute of one core: longer than this nobody waits for a step without wanting to know why.
STEP_EFFORT = 300_000_000
SOFT_STEPPER, SPECTRAL_RADIUS = "midpoint", 0.8
MOST_STEPS = 1e9
# Changes of options for a run of which no contacts are kept.
WITHOUT_CONTACTS = {"store_contacts": False, "contacts_of": "steps"}


@record
class SimulationOptions(Options):
    """Settings of a run; the defaults are meant for every scene."""

    time: float = option(5.0, "Simulated time", unit="s", minimum=0.0)
    time_step: float = option(0.01, "Length of a time step", unit="s", minimum=1e-7, maximum=1.0)
    substeps: int = option(
        0, "Substeps of a time step; 0: as many as bodies need (1 with other contact generators)", minimum=0,
        maximum=1000
    )
    steps_per_frame: int = option(1, "Time steps between two stored frames", minimum=1, maximum=10_000)
    stepper: str = option(
        "moreau", "Time stepping scheme",
        choices=("moreau", "semi_implicit", "position_level", "position_level_stiffened")
    )
    soft_stepper: str = option(
        SOFT_STEPPER, "Time stepping scheme of deformable bodies",
        choices=("midpoint", "bdf2", "euler", "element_rows", "element_rows_stiffened", "element_rows_printed")
    )
    spectral_radius: float = option(
        SPECTRAL_RADIUS, "Part of the fastest vibrations of deformable bodies that a midpoint step keeps",
        minimum=0.0, maximum=1.0
    )
    method: str = option("default", "Solver method for the contact problem of each step")
    accuracy: float = option(
        1e-8, "Residual to aim at, as a part of the velocity that gravity gives in one step", minimum=1e-12, maximum=1.0
    )
    acceptable: float = option(
        ACCEPTABLE,
        "Residual that is good enough where the aim is far, as a part of the bodies' speed",
        minimum=0.0,
        maximum=1.0,
    )
    tolerance: float = option(0.0, "Wanted residual; 0 takes it from the accuracy", unit="m/s", minimum=0.0)
    effort: int = option(
        EFFORT,
        "Largest number of contacts relaxed in a solve (contacts times sweeps); twice it where 100 contacts hang "
        "together ten bodies deep, and up to 30 times it at rest; 0 for no such limit",
        minimum=0,
        maximum=10_000_000_000,
    )
    step_effort: int = option(
        STEP_EFFORT,
        "Largest number of contacts relaxed in a step, over all its substeps, searches and solves; 0 for no such limit",
        minimum=0,
        maximum=1_000_000_000_000,
    )
    max_iterations: int = option(
        0, "Largest number of iterations a step; 0 for the method's own", minimum=0, maximum=10_000_000
    )
    bounce_threshold: float = option(0.0, "Impacts slower than this do not bounce", unit="m/s", minimum=0.0)
    overlap: str = option("soft", "What is done about bodies that overlap", choices=tuple(OVERLAP_TREATMENTS))
    sleeping: bool = option(
        False, "Freeze bodies that rested for half a second until something reaches them: faster, for animation"
    )
    merge_fixed: bool = option(
        True, "Move bodies that unbreakable fixed joints hold to each other as one; these joints tell no force"
    )
    until_rest: bool = option(False, "End the run once all bodies have been at rest for half a second")
    until_not_accepted: bool = option(False, "End the run after the first step that is not accepted")
    contact_generator: str = option(DEFAULT, "Where contacts come from", choices=tuple(CONTACT_GENERATORS))
    linear_damping: float = option(0.0, "Decay rate of velocities of rigid bodies", unit="1/s", minimum=0.0)
    angular_damping: float = option(0.0, "Decay rate of their angular velocities", unit="1/s", minimum=0.0)
    threads: int = option(
        0, "Threads for finding contacts, 0 for one a core; the answer does not depend on it", minimum=0, maximum=256
    )
    store_contacts: bool = option(False, "Keep every contact with its impulse in the run's folder")
    contacts_of: str = option("steps", "Of which steps: all, for a run that can be verified, or the last of each frame",
                              choices=("steps", "frames"), only=("store_contacts", True))  # fmt: skip
    method_options: dict = field(default_factory=dict)

    def check(self):
        """Raise OptionError for the first option outside its limits, or for a run that no one could wait for."""
        super().check()
        if not isinstance(self.method_options, dict):
            raise OptionError(f"option method_options is {self.method_options!r}; give names with values")
        if self.time > MOST_STEPS * self.time_step:
            raise OptionError(f"option time is {self.time} s, {self.time / self.time_step:.3g} steps of "
                              f"{self.time_step} s; give at most {MOST_STEPS:g} steps")  # fmt: skip
        if self.tolerance and self.effort not in (0, EFFORT):
            raise OptionError(
                f"option effort is {self.effort} but a stated tolerance is reached at any effort; leave one of them out"
            )
        if self.tolerance and self.acceptable != ACCEPTABLE:
            raise OptionError(
                f"option acceptable is {self.acceptable} but a stated tolerance is meant; leave one of them out"
            )
