"""Which changes of a nest's loops are legal: interchange, fission, fusion, tiling, skewing, reversal."""
