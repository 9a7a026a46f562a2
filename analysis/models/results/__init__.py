"""What models answer: predictions, evaluations, rankings, speedups."""
