"""What stands in the columns of substeps.bin."""

# Columns of a body in a substep: its number and whether it moves freely, then position (3), orientation (4) and twist
# (6) at three instants: at its start; where impulses act, with the velocities they give; at its end.
BODY_COLUMNS = 2 + 3 * 13
# Of a contact: bodies a and b, position (3), normal (3), tangent s (3), gap, impulses n s t tau (4), the part of them
# that acted before an impact (4), and what is asked of each row: velocity + asked obeys the law (4) [m/s].
CONTACT_COLUMNS = 2 + 3 + 3 + 3 + 1 + 4 + 4 + 4
# Of a joint at a body: numbers of both, impulse (3) and its moment about the centre of mass (3), world.
JOINT_COLUMNS = 2 + 6
# Of a node of a deformable body: number of the body; where it is, three velocities before forces act (at the start;
# with pins and the width of the step; filtered), the slow part of the last, the velocity solved for and the one at the
# end; what linearising leaves open of its momentum.
NODE_COLUMNS = 1 + 8 * 3
# Of a contact with a deformable body: its place among the contacts; nodes and weights (3 each) of a, then of b, -1 for
# none; the velocities (4, 4) that unit impulses give it.
STENCIL_COLUMNS = 1 + 12 + 16
# Columns of each part of a substep, by its name in recording.json.
PARTS = {"body": BODY_COLUMNS, "contact": CONTACT_COLUMNS, "joint": JOINT_COLUMNS, "node": NODE_COLUMNS,
         "stencil": STENCIL_COLUMNS}  # fmt: skip
# Numbers before the columns: step, time at its start, length, how far into it impulses act, time until contacts are
# searched for again [s], and how many rows of each part follow.
HEAD = 5 + len(PARTS)
