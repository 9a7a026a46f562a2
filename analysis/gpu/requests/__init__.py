"""What a warp's request touches: sectors, lines, alignments."""
