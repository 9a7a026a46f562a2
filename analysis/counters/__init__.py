"""BlackForest (Madougou et al.): what hardware counters of measured runs say about a kernel's time.

Here are the values and what predicts with them, which numpy is enough for; `fitting` makes them.
"""
