"""What users promise of names that a file itself doesn't tell: a file for each kind."""
