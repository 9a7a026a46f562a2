"""Which iterations of a loop touch the same memory, and what may be done with the loop."""
