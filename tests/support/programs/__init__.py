"""Programs of several files in tests."""
