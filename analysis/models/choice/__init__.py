"""Which model's time is shown, and how far off it may be."""
