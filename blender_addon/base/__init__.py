"""What every part of the bridge uses: frames and rotations, F-curves, windows, rendering."""
