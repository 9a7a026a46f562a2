"""Arrays in shared memory: what can be staged, the copies, the bank conflicts."""
