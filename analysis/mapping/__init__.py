"""Mappings of a nest: which loops become blocks, warps, lanes or threads, as a nest that spells it out."""
