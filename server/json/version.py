"""The version of what `--json` prints of reports; apart from them, as they need all models."""

JSON_VERSION = 1
"""Counts up when a field is renamed, removed or changes its meaning; new fields leave it. docs/json.md lists them."""
