"""What a loop that is not proved parallel would need: promises that decide it, ends and flags."""
