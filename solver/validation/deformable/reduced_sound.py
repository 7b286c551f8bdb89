"""The sound of bodies that move in a few modes of their shape."""

import tempfile
from pathlib import Path

import numpy as np

from ...base.late import late
from ...materials import Material, MaterialTable
from ...meshes.tet_grids import box_grid
from ...results.extract import extract
from ...scene import Body, Elastic, Reduction, Scene
from ...scenes.base import floor
from ...shapes import Tetrahedra
from ...simulation import options_for, simulate
from ..lines import Case, close
from .elastic import CHAPTER
from .reduced import ALONG, BEAM

signal, wavfile = late("scipy.signal"), late("scipy.io.wavfile")

# Length [m], Young's modulus [Pa], density [kg/m^3]: of ten widths, a light one and one of steel.
BARS = {"1 m, 1e10 Pa": (1.0, 1e10, 1000.0), "0.25 m, steel": (0.25, 2e11, 7800.0)}


def bar(length, young, density):
    """A bar, ten times as long as wide, that falls on one end and springs up again."""
    elastic = Elastic(young=young, law="corotational", element="t10", reduction=Reduction(16, damping_ratio=2e-3))
    grid = box_grid((20, 2, 2), (length, 0.1 * length, 0.1 * length))
    body = Body("bar", Tetrahedra(*grid), position=(0, 0, 0.16 * length), elastic=elastic,
                orientation=(np.cos(0.1), 0.0, np.sin(0.1), 0.0))  # fmt: skip
    return Scene((floor(2.0), body), MaterialTable((Material("default", density=density),)))


def peaks_of(folder):
    """Frequencies (n,) [Hz] of the peaks in the spectrum of a run's sound, down to a thousandth of the highest."""
    extract(folder, Path(folder) / "sound.wav")
    rate, heard = wavfile.read(Path(folder) / "sound.wav")
    spectrum = np.abs(np.fft.rfft(heard * np.hanning(len(heard)), 1 << 19))
    return np.fft.rfftfreq(1 << 19, 1.0 / rate)[signal.find_peaks(spectrum, height=1e-3 * spectrum.max())[0]]


def reduced_sound():
    """Bars that fall on one end ring at their frequencies, bending by Timoshenko's theory and c / 2 L along them, which
    scale with the speed of waves over the length."""
    lines = []
    for name, (length, young, density) in BARS.items():
        scene = bar(length, young, density)
        with tempfile.TemporaryDirectory() as folder:
            simulate(scene, options_for(scene, time=0.5, store_contacts=True), folder, overwrite=True)
            peaks = peaks_of(folder)
        scale = np.sqrt(young / density / 1e3) / length
        kinds = (*(f"mode {k + 1} of bending" for k in range(len(BEAM))), "mode along it")
        for kind, frequency in zip(kinds, (*BEAM, ALONG), strict=True):
            found = peaks[np.abs(peaks - scale * frequency).argmin()]
            lines.append(close(f"{name}: {kind} [Hz]", scale * frequency, found, 0.01, "Hz", relative=True))
    return lines


CASES = (Case("reduced_sound", CHAPTER, reduced_sound, False),)
