"""What the worker tells Blender of the steps of a run."""

from types import SimpleNamespace

import stiction as st
from stiction.blender_addon.running import worker


def test_steps_made_together_are_told_once_and_others_frame_by_frame(monkeypatch):
    """A box lies still for a second: its steps are made many at a time, and Blender reads a line for each call. One
    that is stepped by itself is told of after every frame."""
    said, pauses = [], []
    monkeypatch.setattr(worker, "say", lambda **message: said.append(message))
    inbox = SimpleNamespace(wait_while_paused=lambda: pauses.append(True))
    floor = st.Body("floor", st.Box((2.0, 2.0, 0.5)), motion=st.Motion.STATIC, position=(0.0, 0.0, -0.5))
    scene = st.Scene((floor, st.Body("box", st.Box((0.5, 0.5, 0.5)), position=(0.0, 0.0, 0.5))))
    settings = {"time": 1.0, "time_step": 0.01, "steps_per_frame": 4}
    st.simulate(scene, **settings, progress=worker.Told(inbox, 4))
    assert said[-1]["done"] == said[-1]["total"] == 100
    assert 1 <= len(said) < 13
    said.clear(), pauses.clear()
    st.simulate(scene, **settings, substeps=2, progress=worker.Told(inbox, 4))
    assert [one["done"] for one in said] == list(range(4, 101, 4))
    assert len(pauses) == 100, "a pause holds after every step"
