"""Questions about pycparser's trees, and trees made simpler."""
