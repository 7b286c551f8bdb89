"""Write docs/scene.schema.json, the schema of scene files, from solver/scene_io/scene_schema.py."""

import json
from pathlib import Path

from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene_io.scene_schema import published_schema

if __name__ == "__main__":
    target = Path(__file__).resolve().parents[1] / "docs" / "scene.schema.json"
    target.write_text(json.dumps(published_schema(SimulationOptions), indent=1) + "\n", encoding="utf-8")
