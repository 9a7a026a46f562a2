"""`.warplens.toml`: what a folder says about its own code.

Nothing in it is executed: it holds names of profiles, sizes, include paths, macros and rule codes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warplens.analysis.engine.options import SizeChoice
from warplens.server.regular_file import read_inside
from warplens.server.settings import is_size

FILE_NAME = ".warplens.toml"
_MAX_BYTES = 1 << 20
_RULE = re.compile(r"WL\d+")


@dataclass(frozen=True, slots=True)
class FolderConfig:
    """The file's content; None or empty where it says nothing. Paths, a profile's included, are absolute."""

    gpu: str | None = None
    cpu: str | None = None
    default_size: int | None = None
    sizes: tuple[SizeChoice, ...] = ()
    include_paths: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    disabled_rules: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A message about a configuration file; `path` names the file."""

    path: str
    message: str


def nearest_config(directory: Path, roots: Sequence[Path]) -> Path | None:
    """Path of the `.warplens.toml` that counts for a folder."""
    return nearest_file(directory, roots, FILE_NAME)


def nearest_file(directory: Path, roots: Sequence[Path], name: str) -> Path | None:
    """Path of the file of this name that counts for a folder: the nearest upward, not above the root it lies in.

    In a folder outside every root only the folder itself is looked at.
    """
    if not directory.is_absolute():
        return None  # a buffer without a file: what lies in the server's own folder is not meant
    inside = [root for root in roots if directory.is_relative_to(root)]
    top = min(inside, key=lambda root: len(root.parts), default=directory)
    for folder in (directory, *directory.parents):
        candidate = folder / name
        if candidate.is_file():
            return candidate
        if folder == top:
            return None
    return None


def load_config(path: Path) -> tuple[FolderConfig, tuple[ConfigProblem, ...]]:
    """Read and check a file; a part that is wrong is left out and said."""
    try:
        document = tomllib.loads(read_inside(path, path.parent, _MAX_BYTES).decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return FolderConfig(), (ConfigProblem(str(path), f"not read: {reason(error)}"),)
    config, messages = parse_config(document, path.parent)
    return config, tuple(ConfigProblem(str(path), message) for message in messages)


def reason(error: Exception) -> str:
    """Why a file was not read, without its path."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def parse_config(document: dict[str, Any], folder: Path) -> tuple[FolderConfig, tuple[str, ...]]:
    """Check a parsed file; relative include paths start at `folder`.

    >>> config, messages = parse_config({"gpu": "v100", "sizes": {"n": 4096, "step": {"n": 512}}}, Path("/p"))
    >>> config.gpu, [(s.name, s.value, s.function) for s in config.sizes], messages
    ('v100', [('n', 4096, ''), ('n', 512, 'step')], ())
    >>> parse_config({"gpus": "v100"}, Path("/p"))[1]
    ('unknown key `gpus`; known are cpu, default_size, defines, disabled_rules, gpu, include_paths, sizes',)
    """
    messages: list[str] = []

    def texts(key: str) -> tuple[str, ...]:
        value = document.get(key, [])
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        messages.append(f"`{key}` must be a list of strings")
        return ()

    def name(key: str) -> str | None:
        value = document.get(key)
        if value is None:
            return None
        if isinstance(value, str) and value.strip():
            return str(folder / value) if value.endswith(".toml") else value
        messages.append(f"`{key}` must be the name of a profile")
        return None

    known = ("cpu", "default_size", "defines", "disabled_rules", "gpu", "include_paths", "sizes")
    messages.extend(f"unknown key `{key}`; known are {', '.join(known)}" for key in document if key not in known)
    default_size = document.get("default_size")
    if default_size is not None and not (is_size(default_size) and default_size > 0):
        messages.append("`default_size` must be a whole number above 0")
        default_size = None
    rules = texts("disabled_rules")
    messages.extend(f"`disabled_rules`: {code!r} is no rule's code" for code in rules if not _RULE.fullmatch(code))
    config = FolderConfig(
        gpu=name("gpu"),
        cpu=name("cpu"),
        default_size=default_size,
        sizes=_sizes(document.get("sizes", {}), messages),
        include_paths=tuple(str(folder / path) for path in texts("include_paths")),
        defines=texts("defines"),
        disabled_rules=frozenset(rules),
    )
    return config, tuple(messages)


def _sizes(table: object, messages: list[str]) -> tuple[SizeChoice, ...]:
    if not isinstance(table, dict):
        messages.append("`sizes` must be a table of names and whole numbers")
        return ()
    choices: list[SizeChoice] = []
    for key, value in table.items():
        entries, function = (value.items(), key) if isinstance(value, dict) else ([(key, value)], "")
        for name, size in entries:
            if is_size(size):
                choices.append(SizeChoice(name, size, "file", function))
            else:
                where = f"sizes.{function}.{name}" if function else f"sizes.{name}"
                messages.append(f"`{where}` must be a whole number, not negative")
    return tuple(choices)
