"""What is known of values while a function is read."""
