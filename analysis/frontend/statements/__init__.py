"""C statements and loops as nests of the IR."""
