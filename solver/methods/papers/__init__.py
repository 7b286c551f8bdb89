"""The methods of the papers."""
