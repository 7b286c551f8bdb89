"""What is said of deformable bodies that are pressed further than their law or their mesh can be right."""

from ..laws.elastic_laws import THIN


def squeezed_notes(found):
    """Sentences on {body: {"since" [s]: when first, "at" [s]: when most of its elements were, "counts": inside out,
    thin, past a limit point then, "elements"}}."""
    kinds = ("inside out", f"below {100 * THIN:g} % of their volume", "past the largest pressure their law can bear")
    notes = []
    for name, known in found.items():
        said = ", ".join(f"{count} {kind}" for count, kind in zip(known["counts"], kinds, strict=True) if count)
        remedy = "smaller elements, a smaller time step or a stiffer material"
        if known["counts"][2]:
            remedy = "the law ciarlet_geymonat or, for foam, hill_ogden"
        notes.append(
            f"body {name!r}: from {known['since']:.6g} s on elements are pressed too far; most at {known['at']:.6g} s, "
            f"of {known['elements']}: {said}; its forces are not to be trusted there, give it {remedy}"
        )
    return notes
