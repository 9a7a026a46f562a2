"""What-if: the changes that a user asks for, and what they do to a nest's prediction, as JSON values."""
