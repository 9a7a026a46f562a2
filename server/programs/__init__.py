"""Which programs are started, and what they are handed."""
