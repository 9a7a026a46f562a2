"""What fits: the only part that needs the extra `counters` (scikit-learn, SciPy, statsmodels, mars-earth)."""
