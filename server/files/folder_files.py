"""Files in which a folder says something to us."""

CONFIG_NAME = ".warplens.toml"
PROFILE_NAME = ".warplens/profile.json"
"""What its programs counted when they ran."""
MODELS = ".warplens/counters"
"""The folder of what was learned from the counters of measured kernels, shown beside loops."""
MODEL_SUFFIX = ".counters"
SOURCES = (".c", ".h")
"""Endings of the files that a program is read from."""
