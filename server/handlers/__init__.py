"""Which function serves which message; what they do is in features/ and scheduler.py."""
