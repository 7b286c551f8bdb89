"""Materials by name. Coefficients are those of the material on itself, dry: the geometric mean gives pairs.

Friction is the sliding coefficient where the source has both. Steel, wood, rubber and glass were compared with public
tables (mild steel 0.57, hard steel 0.42, wood 0.25 to 0.5, rubber on concrete 0.6 to 0.85, glass 0.4, ice 0.03 to
0.1), grain with the abstract of its paper; stone, plastic and concrete rest on the sources named.

Bounciness is that of small solid balls on thick blocks at about 1 m/s. It falls with speed, size
and thin supports: a bearing ball or a marble dropped on a floor keeps 0.6 to 0.7.
"""

from typing import NamedTuple


class Known(NamedTuple):
    """density [kg/m^3], friction [1], restitution [1], and where they are from."""

    label: str
    density: float
    friction: float
    restitution: float
    source: str


MARKS = "Marks' Standard Handbook for Mechanical Engineers, table of friction coefficients"
GOLDSMITH = "Goldsmith, Impact (1960), table of restitution"

MATERIALS = {
    known.label: known
    for known in (
        Known("Steel", 7850.0, 0.57, 0.9, f"mild steel, dry, sliding: {MARKS}; {GOLDSMITH}"),
        Known("Stone", 2600.0, 0.65, 0.3, f"masonry on masonry 0.6 to 0.7: {MARKS}; restitution of rough blocks, low"),
        Known("Wood", 700.0, 0.48, 0.5, f"oak along the grain, dry, sliding: {MARKS}; {GOLDSMITH}"),
        Known("Rubber", 1100.0, 0.9, 0.75, f"dry concrete 0.6 to 0.85, itself 1.16 at rest: {MARKS}; {GOLDSMITH}"),
        Known("Ice", 917.0, 0.05, 0.5, "near 0 °C, 0.02 sliding to 0.1 at rest: Bowden and Tabor, Friction (1950)"),
        Known("Plastic", 1200.0, 0.35, 0.6, "nylon 0.2 to acrylic 0.5 on itself: makers' data; restitution of nylon"),
        Known("Glass", 2500.0, 0.4, 0.94, f"dry, sliding (at rest 0.94): {MARKS}; {GOLDSMITH}"),
        Known("Concrete", 2400.0, 0.65, 0.2, "smooth 0.6 to rough 0.7: Eurocode 2, EN 1992-1-1, 6.2.5"),
        Known("Grain", 1300.0, 0.45, 0.6, "soybeans: Boac et al., Trans. ASABE 53 (2010) 1201"),
    )
}


def apply(settings, label):
    """Give the settings of a body the material `label`; its direction and torsion of friction are switched off."""
    known = MATERIALS[label]
    settings.material = label
    settings.density, settings.friction, settings.restitution = known.density, known.friction, known.restitution
    settings.use_friction_t, settings.torsional_friction, settings.tangential_restitution = False, 0.0, 0.0


# What makes the material of a body: what is copied, and what a preset of the user holds.
FIELDS = ("material", "density", "friction", "use_friction_t", "friction_t", "torsional_friction", "restitution",
          "tangential_restitution", "law")  # fmt: skip


def copy(source, target):
    """Give a body the material of another."""
    for name in FIELDS:
        setattr(target, name, getattr(source, name))


def names_in(scene):
    """Names of the materials of a scene's bodies and of the known ones, in order."""
    used = {ob.stiction.material for ob in scene.objects if ob.stiction.type != "NONE" and ob.stiction.material}
    return sorted(used | set(MATERIALS))
