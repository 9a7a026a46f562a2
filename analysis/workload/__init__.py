"""How much a nest does: iterations, accesses, instructions and registers of a thread."""
