"""C itself: types, constants, library functions, what can't be read."""
