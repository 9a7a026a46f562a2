"""C expressions and calls as expressions of the IR."""
