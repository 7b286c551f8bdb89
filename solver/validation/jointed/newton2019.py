"""The Newton paper's time stepping on joints, and its scenes of joints and heaps."""

import numpy as np

from ...dynamics import rotation
from ...dynamics.jointed.readings import joint_readings
from ...scenes import build
from ...scenes.jointed.chains import chain, flexible_beam
from ...scenes.newton2019 import weights
from ...simulation import compiled, options_for, step_settings
from ...steppers import position_level
from ..lines import Case, Outcome, Plot, below, close, largest, within
from ..run import run
from .chains import CHAPTER, falling_end

G, STEP = 9.81, 0.0083


def stepped(scene, seconds, step, **scheme):
    """(last State, largest gap (S,) [m, rad] after each step) with position_level's scheme, in whole steps."""
    options = options_for(scene, time=seconds, time_step=step)
    model, state = compiled(scene, options)
    settings, gaps = step_settings(options, model, state), []
    for _ in range(round(seconds / step)):
        state, _, _ = position_level(model, state, settings, **scheme)
        gaps.append(joint_readings(state, step)[:, 2:4].max())
    return state, np.array(gaps)


def taut():
    """Twenty links with a thousand times a link's mass at their end, let go from horizontal, implicit steps of 10 ms,
    no substeps and no projection: largest gap of a joint by the number of Newton steps, with and without (70) to (74).

    Where the end is after 0.9 s: of first order.
    """
    scene, lines, series = chain(20, 1000.0), [], []
    exact, found = falling_end(scene, 0.9), []
    for stiffened, name in ((True, "with"), (False, "without")):
        worst = []
        for steps in (1, 2, 3, 4, 6, 8):
            _, gaps = stepped(scene, 0.3, 0.01, newton_steps=steps, stiffened=stiffened)
            worst.append(min(float(np.nanmax(gaps)), 1e3))
        series.append((f"{name} geometric stiffness", (1, 2, 3, 4, 6, 8), tuple(worst), "o-"))
    lines.append(below("4 Newton steps with it, 0.3 s: largest gap [m, rad]", series[0][2][3], 1e-9))
    lines.append(within("  without it: joints come apart [m, rad]", 1e-3, np.inf, series[1][2][3]))
    for step in (0.01, 0.005):
        state, gaps = stepped(scene, 0.9, step, stiffened=True)
        end = state.position[-1, 2] + 0.05 * rotation.matrix(state.orientation[-1:])[0, 2, 0]
        found.append(end - exact)
        lines.append(below(f"h = {1e3 * step:g} ms, 0.9 s: largest gap [m, rad]", gaps.max(), 1e-9))
        lines.append(close("  end after 0.9 s [m]", exact, end, 1.5 * step, "m"))
    lines.append(close("error of h over that of h/2", 2.0, found[0] / found[1], 0.3))
    return Outcome(tuple(lines), (Plot("newton2019-chain", "taut chain, 0.3 s at 100 Hz", "Newton steps",
                                       "largest gap [m, rad]", tuple(series), "log"),))  # fmt: skip


def beam():
    """The paper's beam, 16 links of 3 g with compliant joints of 250 N m, clamped, in implicit steps of 8.3 ms: at rest
    the sag of hinged links."""
    links, mass, stiffness, length = 16, 0.003, 250.0, 0.02
    moments = np.array([sum(mass * G * length * (j + 0.5 - i) for j in range(i, links)) for i in range(links)])
    exact, lines = float(np.sum(length * np.cumsum(moments / stiffness))), []
    for stepper in ("position_level", "position_level_stiffened"):
        result = run(flexible_beam(links, mass, stiffness, length), 2.0, STEP, every=60, stepper=stepper, substeps=1)
        tip = result.position[-1, -1] + 0.5 * length * result.turn(links - 1, -1)[:, 0]
        lines.append(close(f"{stepper}: sag at the tip [um]", 1e6 * exact, -1e6 * tip[2], 0.01, relative=True))
        lines.append(below("  largest gap [m, rad]", result.gap(), 1e-8))
        lines.append(below("  speed [m/s, rad/s]", np.abs(result.twist[-1]).max(), 1e-6))
    return lines


def hung_weights():
    """8, 64 ... 32768 kg hung one under another: at rest every joint carries what hangs below; let go 60 degrees aside
    all stay closed."""
    lines = []
    below_each = np.cumsum((8.0 * 8.0 ** np.arange(5))[::-1])[::-1]
    for stepper, step in (("moreau", 0.01), ("position_level_stiffened", STEP)):
        still = run(weights(), 0.5, step, stepper=stepper)
        pull = still.joints[-1, :, 6]
        worst = float(np.abs(pull / (G * below_each) - 1.0).max())
        lines.append(below(f"{stepper}, at rest: pulls off by, in parts", worst, 1e-6))
        lines.append(below("  moved [m]", still.displacement().max(), 1e-9))
        swung = run(weights(60.0), 2.0, step, every=2, stepper=stepper)
        energy = swung.kinetic() + swung.potential()
        lines.append(below("  let go: largest gap [m, rad]", swung.gap(), 1e-8))
        up = (energy.max() - energy[0]) / np.ptp(swung.potential())
        lines.append(below("  energy up, of what swings", up, 0.01))
    return lines


def tables():
    """53 tables of 4.7 kg, friction 0.7, fall into a heap in steps of 8.3 ms: they come to rest, none through another.

    The paper counts 936 contacts; ours are reduced to those that carry.
    """
    result = run(build("table_pile"), 6.0, STEP, every=10)
    speeds = np.linalg.norm(result.twist[-1, result.moving, :3], axis=1)
    return [
        below("deepest overlap of any step [m]", largest([report.overlap for report in result.reports]), 1e-3, "m"),
        below("steps not accepted", sum(not report.converged for report in result.reports), 1),
        below("fastest table at the end [m/s]", speeds.max(), 0.02, "m/s"),
        within("contacts at the end", 100, 2000, result.reports[-1].contact_count),
    ]


CASES = (
    Case("newton2019_chain", CHAPTER, taut), Case("newton2019_beam", CHAPTER, beam),
    Case("newton2019_weights", CHAPTER, hung_weights), Case("newton2019_tables", CHAPTER, tables),
)  # fmt: skip
