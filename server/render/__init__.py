"""Words and looks: what a hover, a lens and the command line say, built from the report's values."""
