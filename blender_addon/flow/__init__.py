"""What lets bodies in and out, as Blender objects: emitters, gates, counters, sinks."""
