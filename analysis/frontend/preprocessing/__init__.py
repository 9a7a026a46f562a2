"""A preprocessor in Python, and headers that stand in for missing ones."""
