"""CUDA: the kernel and the function that launches it, as text of a `.cu` file."""
