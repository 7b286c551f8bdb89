"""A run in a process of its own: started, watched, looked at, without a window too."""
