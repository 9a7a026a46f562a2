"""Which level of the memory hierarchy serves a request."""
