"""Which pointers and cells may be the same memory."""
