"""Which loops become a grid of threads, and what one thread does."""
