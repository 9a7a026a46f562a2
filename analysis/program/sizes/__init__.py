"""Which values a program gives its sizes."""
