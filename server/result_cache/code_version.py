"""Which code made a result: another version of it, or of what it builds on, has results of its own."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable

_PACKAGES = ("warplens.analysis", "warplens.hwprofiles", "warplens.server")
_BUILT_ON = ("islpy", "networkx", "numpy", "pcpp", "pycparser", "warplens")
_ENDINGS = (".py", ".toml")


@cache
def code_version() -> str:
    """Digest of all code and profiles of this installation, of Python's version and of those of libraries."""
    digest = hashlib.sha256(sys.version.encode())
    for name in _BUILT_ON:
        digest.update(f"{name} {version(name)}\n".encode())
    for package in _PACKAGES:
        _add(digest, files(package), package)
    return digest.hexdigest()


def _add(digest: hashlib._Hash, folder: Traversable, name: str) -> None:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            if not entry.name.startswith("__"):
                _add(digest, entry, f"{name}/{entry.name}")
        elif entry.name.endswith(_ENDINGS):
            content = entry.read_bytes()
            digest.update(f"{name}/{entry.name} {len(content)}\n".encode())
            digest.update(content)
