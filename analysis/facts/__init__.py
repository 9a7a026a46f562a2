"""What is known of a loop nest on any machine, as values: verdicts, promises, thread programs, counts as formulas."""
