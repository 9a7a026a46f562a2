"""OpenMP target directives."""
