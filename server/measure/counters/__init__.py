"""Counters of measured runs: files of profilers, fitted models, their report, and their link to loops."""
