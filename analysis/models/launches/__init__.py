"""Which launches there are, what each costs and which is best."""
