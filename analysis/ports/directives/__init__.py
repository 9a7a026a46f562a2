"""What OpenMP and OpenACC have in common: which loops a directive may stand at, and what it moves."""
