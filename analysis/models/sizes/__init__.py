"""Other sizes and other GPUs: curves, break-evens, comparisons."""
