"""What the user sets, and what follows from it at once."""
