"""Files of scenes, meshes and contact problems, and the notes a run says of its shapes."""
