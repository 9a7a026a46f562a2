"""What is true of a loop nest on any machine: dependences, work, strides, footprints."""
