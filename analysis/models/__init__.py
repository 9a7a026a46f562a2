"""Times from facts: Resios' parametrized model, transfers, launch overhead and the sum of an offload."""
