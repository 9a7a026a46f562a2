"""Whether everything that Warplens needs is there and works, one part a file."""
