"""Numbers and names as a person reads them."""

# Names in one sentence.
NAMED = 3


def as_length(value, digits=3):
    """A length [m] as text in millimetres, in metres where these would end in a power of ten."""
    whole = f"{1e3 * value:.{digits}g}"
    return f"{value:.{digits}g} m" if "e+" in whole else f"{whole} mm"


def as_speed(value):
    """A velocity [m/s] as text in the unit that reads best."""
    number, unit = (value, "m/s") if value >= 1 else (1e3 * value, "mm/s")
    return f"{float(f'{number:.2g}'):g} {unit}"


def listed(names):
    """The first names of a list in quotes, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(repr(name) for name in names[:NAMED]) + more


def counted(number, noun):
    """A number with its noun, in the plural where it is not one."""
    if number == 1:
        return f"{number} {noun}"
    consonant = noun[-1] == "y" and noun[-2] not in "aeiou"
    return f"{number} {noun[:-1]}ies" if consonant else f"{number} {noun}s"
