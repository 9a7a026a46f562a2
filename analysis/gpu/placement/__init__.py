"""Where threads, warps and blocks lie on the iterations of a nest."""
