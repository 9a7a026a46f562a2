"""What a loop nest is: C types, expressions, accesses, loops; frozen values without positions."""
