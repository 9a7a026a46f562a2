"""What a GPU is, and what a launch of a nest does on it: transactions, conflicts, occupancy."""
