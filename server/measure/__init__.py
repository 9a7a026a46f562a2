"""What is measured: counts of loops, times of kernels, hardware counters, machines."""
