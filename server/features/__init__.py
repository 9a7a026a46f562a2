"""One LSP feature per file: take the document and its report, call a pure function, translate."""
