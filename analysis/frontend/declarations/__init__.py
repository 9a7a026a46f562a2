"""A file cut into declarations and parsed one at a time; what does not parse is mended."""
