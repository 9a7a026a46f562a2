"""What names stand for where they are used."""
