"""How headers are called."""

HEADER = ".h"
