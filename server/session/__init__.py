"""The server's state: documents, when they are analysed, what is loaded when."""
