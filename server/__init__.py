"""The language server and the command line: the only package that knows LSP, files and processes."""
