"""The process that analyses, and the side of it that the event loop sees."""
