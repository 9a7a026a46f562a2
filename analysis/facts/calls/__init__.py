"""What called functions do: their effects, what is assumed of them, what they print."""
