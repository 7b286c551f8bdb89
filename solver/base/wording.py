"""Numbers as a person reads them."""


def as_length(value, digits=3):
    """A length [m] as text in millimetres, in metres where these would end in a power of ten."""
    whole = f"{1e3 * value:.{digits}g}"
    return f"{value:.{digits}g} m" if "e+" in whole else f"{whole} mm"


def counted(number, noun):
    """A number with its noun, in the plural where it is not one."""
    if number == 1:
        return f"{number} {noun}"
    consonant = noun[-1] == "y" and noun[-2] not in "aeiou"
    return f"{number} {noun[:-1]}ies" if consonant else f"{number} {noun}s"
