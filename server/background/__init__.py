"""What is worked out behind the diagnostics: break-evens, other GPUs, measured kernels."""
