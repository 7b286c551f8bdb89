"""Finds deformable bodies that are pressed further than their law or their mesh can be right."""

from ..base.late import late

checks = late("..dynamics.elastic.checks.squeezed", __package__)


class SqueezedWatch:
    """Looks at the deformable bodies of a run after each step; `found`: see
    results/squeezed_notes.py."""

    def __init__(self, found):
        self.found = found

    def look(self, model, state):
        """Note elements of a State that are inside out, thin or past a limit point; whether a body is named anew."""
        new = False
        for number in model.soft.nonzero()[0] if state.nodes is not None else ():
            now = checks.squeezed(model.elastic[number], state.nodes.position[model.span(number)])
            if not any(now):
                continue
            name = model.names[number]
            new |= name not in self.found
            known = self.found.setdefault(name, {"since": float(state.time), "counts": [0, 0, 0]})
            if sum(now) > sum(known["counts"]):
                known.update(counts=list(now), at=float(state.time), elements=len(model.elastic[number].elements))
        return new
