"""Counts of real runs: what coverage tools wrote, and the file that a workspace keeps of them."""
