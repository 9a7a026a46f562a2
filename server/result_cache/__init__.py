"""Results kept from one start of the server to the next."""
