"""Steps of scenes with deformable bodies; what they need is loaded with the first such scene."""

from ...base.late import late

island, soft = late("...dynamics.elastic.island", __package__), late(".step", __package__)


def with_deformables(step, **demands):
    """`step` for scenes with deformable bodies, too; demands: fields of dynamics/elastic/island.Demands."""
    known = {}

    def advance(model, state, settings):
        if state.nodes is None:
            return step(model, state, settings)
        return soft.advance(step, known, model, state, settings, island.Demands(**demands), 1)

    return advance
