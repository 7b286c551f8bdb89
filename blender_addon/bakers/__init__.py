"""Ways in which a run's frames become animation. A new kind of result is a file here and a line in BAKERS."""

from . import deformables, flow, instances, keyframes

BAKERS = (keyframes.BAKER, instances.BAKER, deformables.BAKER, flow.BAKER)
