"""Registers that a thread needs, and what spills."""
