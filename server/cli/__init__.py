"""The command line: argument parsing and what each command prints."""
