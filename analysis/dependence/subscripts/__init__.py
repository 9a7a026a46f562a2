"""What a subscript or a condition is as an affine form of iterators and sizes."""
