"""What to tell the user: findings by rule, rewrites, explanations."""
