"""How stiff a deformable body must be to carry itself."""

# What the pressure of its weight shortens the lowest part of a body by that is made to carry itself. As jelly does, it
# then loses about half its height as it falls some of its heights, and gets it back.
SHORTENED = 0.1


def pressure_of_weight(weight, volume, height):
    """Pressure [Pa] under a column that has the weight [N], the volume [m^3] and the height [m] of a body."""
    return weight * height / volume


def carrying_young(pressure):
    """Young's modulus [Pa] with which a body carries the pressure of its weight [Pa]."""
    return pressure / SHORTENED
