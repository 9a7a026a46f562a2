"""LSP's messages, positions and addresses."""
