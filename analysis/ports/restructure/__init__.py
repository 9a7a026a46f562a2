"""Edits of the C itself that let more of it run on a GPU, or run faster there."""
