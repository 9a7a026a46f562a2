"""A nest on one GPU and one CPU, and with something changed."""
