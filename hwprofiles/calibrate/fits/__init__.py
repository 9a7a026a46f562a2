"""What follows from a series of measurements: one file per fit, pure functions of the points."""
