"""Polynomials of sizes and iterators: division, sums over loops, strides."""
