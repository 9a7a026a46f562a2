"""Settings of the client, of folders and of the user's own profiles."""
