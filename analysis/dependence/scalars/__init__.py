"""Variables of a loop: private copies, reductions, recurrences, last values."""
