"""What is measured of a GPU or a CPU to make a profile of it: the programs, and what follows from their numbers."""
