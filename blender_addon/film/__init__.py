"""Films that are rendered while their simulation still runs, on all cores."""
