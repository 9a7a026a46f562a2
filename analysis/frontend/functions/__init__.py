"""Functions and their nests."""
