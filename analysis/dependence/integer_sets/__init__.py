"""Whether two accesses meet: quick tests, and integer sets within a budget."""
