"""Edits that write a port of a nest, or get one out of its way: directives, CUDA, restructuring."""
