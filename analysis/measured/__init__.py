"""Counts of a run by line (gcov) as iterations of loops."""
