"""One rule per file: its page is the module's docstring, its check a function of a nest's evaluation."""
