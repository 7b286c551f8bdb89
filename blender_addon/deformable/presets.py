"""Elastic materials by name, of common grades, the softest first: stiffness of such materials ranges over a factor of
ten."""

from typing import NamedTuple

from ...solver.laws.elastic_laws import DEFAULT_LAW


class Preset(NamedTuple):
    """young [Pa], poisson [1], density [kg/m^3], friction [1], damping of stiffness [s], description; law: of LAWS."""

    label: str
    young: float
    poisson: float
    density: float
    friction: float
    damping: float
    description: str
    law: str = DEFAULT_LAW


PRESETS = {
    preset.label: preset
    for preset in (
        Preset("Jelly", 1e4, 0.45, 1000.0, 0.2, 3e-3, "Dessert jelly, stiff enough to stand: 10 kPa"),
        Preset("Foam", 5e4, 0.0, 60.0, 0.7, 1e-2, "Upholstery foam: light, soft until it is pressed to half its "
               "height, and it comes back: 50 kPa", "hill_ogden"),
        Preset("Gel", 5e4, 0.48, 1000.0, 0.4, 5e-3, "Ballistic gel, muscle: 50 kPa"),
        Preset("Silicone", 5e5, 0.48, 1080.0, 0.7, 3e-3, "Moulding silicone, 20 Shore A: 500 kPa"),
        Preset("Rubber", 2e6, 0.48, 1100.0, 0.9, 2e-3, "Soft vulcanised rubber, 50 Shore A: 2 MPa"),
    )
}
