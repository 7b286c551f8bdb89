"""What deformable bodies of every kind have in a step."""


class Part:
    """A deformable body in one step: its nodes are the island's from `first` on. As the midpoint scheme has it, which
    meets contacts in the middle of the step, where the nodes are at y."""

    @property
    def span(self):
        """Slice of its nodes among the island's."""
        return slice(self.first, self.first + self.body.node_count)

    @property
    def found_at(self):
        """Node positions (n,3) at which contacts are found."""
        return self.y

    @property
    def theta(self):
        """t of the scheme."""
        return 1.0 / (1.0 + self.rho)

    def contact_rate(self, h, v):
        """Velocities (n,3) that contacts see, for velocities v (n,3) in the middle after the kick."""
        return v

    def rows(self, nodes):
        """Velocities (3s,6+r) of `nodes` (s,) by those of a reduced body; None where nodes have their own."""
        return None
