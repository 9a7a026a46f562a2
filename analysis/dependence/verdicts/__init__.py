"""The verdict on each loop of a nest."""
