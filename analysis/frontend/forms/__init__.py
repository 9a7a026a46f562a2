"""Loops, switches, jumps and calls in the forms that lowering knows."""
