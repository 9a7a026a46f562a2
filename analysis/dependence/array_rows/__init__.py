"""Flat subscripts as rows and columns: delinearisation and what bounds a row."""
