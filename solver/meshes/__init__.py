"""Triangle meshes: preparation, repair, bounding trees, what they enclose."""
