"""Which elements of arrays a nest touches, for every port: what directives map, what CUDA copies and stages."""
