"""Instruction classes, their counts and their parallelism."""
