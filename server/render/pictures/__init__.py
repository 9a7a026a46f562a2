"""Small pictures for hovers, in clients that show images."""
