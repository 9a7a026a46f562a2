"""The pure analysis: text and values in, values out (see docs/architecture.md)."""
