"""What launches of a kernel do on a GPU, as columns: the input of all models."""
