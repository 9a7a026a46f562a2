"""From preprocessed C text to lowered loop nests, one top-level declaration at a time."""
