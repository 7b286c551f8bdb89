"""What is said of a deformable body that was crushed beyond numbers."""

from ...base.refusal import SceneError


class Crushed(SceneError):
    """A body (its number in the model of its island) was crushed beyond numbers in a step."""

    def __init__(self, text, number):
        super().__init__(text)
        self.number = number


def crushed(name, time, number):
    """The Crushed of the body `name` at a time [s]."""
    return Crushed(
        f"body {name!r}: is crushed beyond numbers at {time:.6g} s; give a smaller time step or a stiffer material, or "
        "strike it less fast", number,
    )  # fmt: skip
