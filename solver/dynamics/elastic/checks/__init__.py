"""What is asked of a deformable body beside its motion: elements pressed too far, and the error of its mesh."""
