"""The model of Haigh and McCreath."""
