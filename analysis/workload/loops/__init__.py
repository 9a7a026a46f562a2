"""How often loops run, and between which values their variables lie."""
