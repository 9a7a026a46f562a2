"""A program of several files: what they say of each other's sizes and functions."""
