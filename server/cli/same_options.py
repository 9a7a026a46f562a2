"""The options of a command as another one takes them, so that it reads the same files for the same sizes."""

from __future__ import annotations

import argparse
import shlex

from warplens.server.settings.settings import Settings


def same_options(arguments: argparse.Namespace) -> str:
    """Those of `add_analysis_options` that were given, but the GPU's, as a shell takes them; empty for none."""
    words: list[str] = []
    if arguments.cpu:
        words += ["--cpu", arguments.cpu]
    for name, value in arguments.sizes:
        words += ["--size", f"{name}={value}"]
    if arguments.called_as is not None:
        words += ["--called-as", shlex.join(("./program", *arguments.called_as))]
    if arguments.default_size != Settings().default_size:
        words += ["--default-size", str(arguments.default_size)]
    for folder in arguments.include_paths:
        words += ["-I", folder]
    for define in arguments.defines:
        words += ["-D", define]
    if arguments.alone:
        words.append("--alone")
    return shlex.join(words)
