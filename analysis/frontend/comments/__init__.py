"""Comments that speak to Warplens."""
