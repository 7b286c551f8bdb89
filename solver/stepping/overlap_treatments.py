"""What is done about overlap, by name: what the user chooses from. Free of compiled code."""

OVERLAP_TREATMENTS = {
    "soft": "Half of it goes in each step, a fifth where it is small, moving bodies without giving them velocity;"
    " what the step itself made goes at its end",
    "projection": "All of it goes at the end of each step, in the first-order world of the PROX paper; steps cost more",
    "none": "It is left alone: only contacts that would get deeper are stopped",
}
