"""The instructions of one thread, made from the nest."""
