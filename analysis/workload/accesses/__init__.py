"""What accesses touch: strides, footprints, rows, transfers."""
