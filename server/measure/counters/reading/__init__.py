"""Files of GPU profilers, and plain tables, as one table of runs."""
