"""The program that a file is a part of: which files it has, what was read of each, and what is kept of that."""
