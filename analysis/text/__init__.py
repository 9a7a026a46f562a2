"""Places in text: spans and the map from preprocessed text back to the user's files."""
