"""Which accesses stand against running a loop in parallel."""
