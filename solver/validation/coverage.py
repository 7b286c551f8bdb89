"""Which results of mechanics the cases compare with, and which they leave out and why: the list at the page's head."""

TOPICS = (
    ("Free fall", ("free_fall",)),
    ("Bouncing, flat landing, restitution whatever the step",
     ("bouncing_ball", "bouncing_box", "restitution", "restitution_and_steps")),
    ("Oblique impact with friction, superball", ("oblique_bounce", "superball")),
    ("Stopping distance in every direction", ("sliding_block",)),
    ("Slopes: stick, slide, no creep", ("incline_block", "criterion_4")),
    ("From slipping to rolling, rolling down slopes", ("slip_to_roll", "rolling_incline")),
    ("Drilling, and slide with spin: uniform disk, ellipsoid law on a pin and on a sphere",
     ("drilling", "studded_disk", "criterion_5", "contensou_pin", "contensou_sphere")),
    ("Elliptic friction", ("elliptic_path",)),
    ("Free tops, heavy top, Jellett's integral", ("free_top", "symmetric_top", "heavy_top", "jellett")),
    ("Rolling and wobbling disks", ("rolling_disk", "euler_disk")),
    ("Arches: least thickness, least friction, thrust, catenary",
     ("arch_thickness", "arch_friction", "arch_published", "arch_thrust", "catenary", "criterion_3")),
    ("Ladder, toppling, overhang, leaning stack, A-frame with and without load",
     ("ladder", "topple", "overhang", "leaning_stack", "a_frame")),
    ("Rocking block: period, loss and decay over several impacts", ("rocking",)),
    ("Piles of cylinders and spheres, isostatic pile, loads of two edges",
     ("three_cylinders", "four_spheres", "triangular_pile", "edge_loads")),
    ("Loads that statics leaves open, split as equal stiffness would", ("even_loads", "rollers")),
    ("Heavy on light, tall stacks, walls, card houses",
     ("stack_of_10", "heavy_stacks",
      "column_of_100", "walls", "card_houses", "criterion_1", "criterion_2", "criterion_8_wall")),
    ("Nip angle", ("nip",)),
    ("Sweeps a decade of PGS and NNCG on stacks", ("sweeps_per_decade",)),
    ("Domino wave", ("dominoes",)),
    ("Newton's cradle together and one by one, symmetric break",
     ("cradle_touching", "cradle_apart", "symmetric_break")),
    ("No energy by Newton's law with friction: Kane's rod", ("kane_rod",)),
    ("Energy ledger: the last line of every case, and", ("energy_ledger", "criterion_6")),
    ("Elasticity: homogeneous states, cantilever, elastica, Cook's membrane, frequencies, torsion, buckling under the"
     " own weight", ("stretch_and_shear", "cantilever", "elastica", "cook", "frequencies", "torsion",
                     "buckling_own_weight")),
    ("Soft bodies: slopes, free flight, impact of a rod, rigid limit, work",
     ("soft_slope", "free_flight", "rod_impact", "rigid_limit", "damped_work")),
    ("Soft bodies: momenta and energy of closed systems, turning with damping, bouncing",
     ("soft_momentum", "soft_spin", "soft_bounce")),
    ("Soft bodies at large strain and held by friction: inflated sphere, buckling, Hertz and Mindlin, press fit, rope,"
     " tipping", ("thick_sphere", "buckling", "hertz_mindlin", "press_fit", "press_fit_torque",
                  "capstan", "tipping")),
    ("Bodies of a few modes: frequencies, sag, rebound from a wall, tumbling, large bends, spinning beams, blows, a "
     "leaning leg, the sound of bars, a chair that chatters, woven composites that hang and that are "
     "thrown, plugs and balls that jam in tubes, a pile of beasts",
     ("reduced_modes", "reduced_bodies", "reduced_elastica", "reduced_spin", "reduced_flight", "reduced_blow",
      "reduced_leg", "reduced_sound", "reduced_chair", "composites", "composites_thrown",
      "jamming", "beasts")),
    ("Materials drawn out, gas within elements, the PneuNet gripper",
     ("material_extension", "inflated_elements", "pneunet")),
    ("Elements near Poisson's ratio .5, the estimate of a mesh's error, laws under great pressure",
     ("near_incompressible", "glued_pads", "pressed_far")),
    ("Pendulums, four-bars, Bricard's and Bennett's loops, slider-crank, redundant hinges",
     ("joint_pendulum", "joint_rod", "joint_friction", "joint_four_bar", "joint_ladder", "joint_bricard",
      "joint_double_pendulum", "joint_slider_crank", "joint_driven_crank", "joint_bennett", "joint_door")),
    ("Cardan shaft, gears, screw, toggle, springs and servos, limits, motors, breaking joints",
     ("joint_cardan", "joint_gears", "joint_screw", "joint_toggle", "joint_springs", "joint_shared", "joint_drives",
      "joint_limits", "joint_motors", "joint_breaking", "joint_stick_slip")),
    ("Chains hung at both ends, folded and let go, flexible beam, top on a ball joint",
     ("joint_chain", "joint_chain_fine", "joint_straight", "joint_taut", "joint_folded", "joint_beam",
      "joint_top")),
    ("Scheme and scenes of the Newton paper: taut chain, beam, weights of 4096:1 on joints, pile of tables",
     ("newton2019_chain", "newton2019_beam", "newton2019_weights", "newton2019_tables")),
    ("Grips: slip limit, off-centre, jamming of a peg, hands",
     ("grip", "offset_grip", "peg_in_hole", "hand", "allegro")),
    ("Machines by contact: toggle clamp, thread, ratchet, capstan, Geneva drive, clock",
     ("toggle_clamp", "bolt_and_nut", "ratchet_wheel", "capstan_rope", "geneva_drive", "escapement_clock")),
    ("Same bits: second run, threads; similarity, rotation; islands",
     ("determinism", "criterion_8_rerun", "similarity", "rotation", "islands")),
)  # fmt: skip

LEFT_OUT = (
    ("Painleve's rod, manufactured problems, mass ratios solver by solver",
     "one contact problem each, compared in tests/contract"),
    ("Same bits after a resume", "compared in the unit tests"),
    ("Ratio of slide to spin just before the uniform disk stops (0.653)",
     "both are below a step's worth of friction there; times, paths and angles are compared"),
    ("Inversion of the tippe top, rattleback", "only qualitative results are known"),
    ("A wedge that locks itself between fixed walls", "flying off and any locked force solve the rigid problem alike"),
    ("Flow and clogging of hoppers, packing, collapse", "statistics of many runs: see the studies"),
    ("Andrews' squeezer, Flores' clearance, governor", "no figure that two sources agree on, or a convergence test"),
)  # fmt: skip


def covered():
    """(topic, keys of cases) in the page's order."""
    return TOPICS


def left_out():
    """(topic, reason) of what no case compares."""
    return LEFT_OUT
