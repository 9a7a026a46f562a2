"""The program that a folder's C files make, read from the disk."""
