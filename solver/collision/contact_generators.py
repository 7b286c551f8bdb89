"""Where contacts come from, by name: what the user chooses from. Free of compiled code.

`cones` is the product's own; the others are those of the PROX paper (Erleben 2017, section 5), taken literally, with
their faults, to compare with: docs/contacts.md.
"""

DEFAULT = "cones"
CONTACT_GENERATORS = {
    DEFAULT: "Pairs of features whose direction lies in the normal cones of both, with a signed gap; foresees contacts",
    "closest_points": "PROX, Temple scene: features of tetrahedra closer than 20 mm, held where they are",
    "opposing_surfaces": "PROX, default: overlapping tetrahedra, along a face that opposes one of the other",
    "growth": "PROX: overlapping tetrahedra along the direction in which they meet when grown from their centres",
}

# Distance [m] at which the closest points of PROX begin to count: twice its envelope, a constant of its program.
ENVELOPE = 0.02
