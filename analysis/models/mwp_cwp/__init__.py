"""MWP-CWP (Hong and Kim 2009)."""
