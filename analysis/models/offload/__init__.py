"""Transfers, and a nest on the GPU with all that it costs."""
