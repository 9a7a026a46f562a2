"""What statements and calls write, and what is read afterwards."""
