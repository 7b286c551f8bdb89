"""What whole and reduced bodies share in a step of the midpoint scheme."""


class MiddlePart:
    """A body that meets contacts in the middle of a step: its nodes are the island's from `first` on, at y there."""

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
