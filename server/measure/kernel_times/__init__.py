"""Running the CUDA port of a nest where there is a GPU, at the user's own command, and keeping what was measured."""
