"""Answers as JSON: for the command line, the report's page and panels."""
