"""Building and running the programs that measure a GPU or a CPU, and what is written of it."""
