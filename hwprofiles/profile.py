"""A profile file as checked entries: every number with unit, kind and source, or a `ProfileError` that says where."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from warplens.analysis.gpu.machine.gpu import Provenance
from warplens.analysis.ir.assumption import Assumption
from warplens.hwprofiles.bounded_toml import TomlError, parse_toml
from warplens.hwprofiles.entry import WEAK_KINDS, Entry, of_sibling, parse_entry, weak_value
from warplens.hwprofiles.regular_file import read_regular
from warplens.hwprofiles.schema import Schema

_HEADER_KEYS = frozenset(("schema", "id", "name", "vendor", "aliases", "extends"))
_SCHEMA_VERSION = 1
_IDENTITY = ("device.compute_capability", "device.sm_count")
_MAX_BYTES = 1 << 18
_ERROR_LINE = re.compile(r"\(at line (\d+)")


class ProfileError(ValueError):
    """A profile that can't be used: `file`, `key` (`dram.latency_cycles`) and `line` (0 when unknown) say where."""

    def __init__(self, file: str, key: str, reason: str, line: int = 0) -> None:
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place}: {key}: {reason}" if key else f"{place}: {reason}")
        self.file = file
        self.key = key
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Profile:
    """A parsed file. `entries` is keyed `section.key`; `extends` names the profile that has what is missing here."""

    file: str
    id: str
    name: str
    aliases: tuple[str, ...]
    extends: str
    entries: Mapping[str, Entry]
    lines: Mapping[str, int] = field(default_factory=dict)

    def over(self, base: Profile) -> Profile:
        """Take this profile's entries, and the base's where it has none.

        What was measured on the base was measured on a sibling where this profile is of another device: one with
        another number of multiprocessors or another compute capability.
        """
        inherited = dict(base.entries)
        if any(key in self.entries and self.entries[key].value != base.entries[key].value for key in _IDENTITY):
            inherited = {key: of_sibling(entry, base.name) for key, entry in inherited.items()}
        entries = {**inherited, **self.entries}
        return Profile(self.file, self.id, self.name, self.aliases, "", entries, dict(self.lines))

    def error(self, key: str, reason: str) -> ProfileError:
        """Build an error at a key."""
        return ProfileError(self.file, key, reason, self.lines.get(key, 0))

    def number(self, key: str) -> float:
        """Value of a numeric key; the schema has been checked."""
        return float(cast("float", self.entries[key].value))

    def integer(self, key: str) -> int:
        """Value of an integer key."""
        return int(cast("int", self.entries[key].value))

    def text(self, key: str) -> str:
        """Value of a text key."""
        return str(self.entries[key].value)

    def flag(self, key: str) -> bool:
        """Value of a yes/no key."""
        return bool(self.entries[key].value)

    def integers(self, key: str) -> tuple[int, ...]:
        """Values of a key with a list of integers."""
        return cast("tuple[int, ...]", self.entries[key].value)

    def provenance(self) -> tuple[Provenance, ...]:
        """Where each value came from, in the profile's order."""
        return tuple(
            Provenance(k, e.kind, e.source, e.measured_on, e.fitted_to, e.checked_on) for k, e in self.entries.items()
        )

    def assumptions(self) -> tuple[Assumption, ...]:
        """One for each value of a weak kind, with its reason."""
        return tuple(weak_value(self.name, k, e) for k, e in self.entries.items() if e.kind in WEAK_KINDS)


def parse_profile(text: str, file: str, schema: Schema) -> Profile:
    """Read one TOML text against a schema.

    Keys may be missing here (see `require_complete`); unknown ones, wrong units and wrong types may not.

    Raises ProfileError.
    """
    try:
        document = parse_toml(text)
    except TomlError as error:
        place = _ERROR_LINE.search(str(error))
        raise ProfileError(file, "", f"not TOML: {error}", int(place[1]) if place else 0) from error
    lines = key_lines(text)
    version = document.get("schema")
    if type(version) is int and version > _SCHEMA_VERSION:
        reason = f"is {version}: a later Warplens wrote this file, this one reads schema {_SCHEMA_VERSION}"
        raise ProfileError(file, "schema", reason, lines.get("schema", 0))
    if version != _SCHEMA_VERSION or isinstance(version, bool):
        raise ProfileError(file, "schema", f"must be {_SCHEMA_VERSION}", lines.get("schema", 0))
    entries: dict[str, Entry] = {}
    for section, content in document.items():
        if section in _HEADER_KEYS:
            continue
        if section not in schema:
            raise ProfileError(file, section, f"unknown section; known: {', '.join(schema)}", lines.get(section, 0))
        if not isinstance(content, dict):
            raise ProfileError(file, section, "must be a table", lines.get(section, 0))
        keys = {key.name: key for key in schema[section]}
        for name, raw in content.items():
            path = f"{section}.{name}"
            if name not in keys:
                raise ProfileError(file, path, "unknown key", lines.get(path, 0))
            try:
                entries[path] = parse_entry(raw, keys[name])
            except ValueError as error:
                raise ProfileError(file, path, str(error), lines.get(path, 0)) from error
    aliases = document.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise ProfileError(file, "aliases", "must be a list of names", lines.get("aliases", 0))
    return Profile(
        file,
        _header(document, "id", file, lines),
        _header(document, "name", file, lines),
        tuple(cast("list[str]", aliases)),
        _header(document, "extends", file, lines) if "extends" in document else "",
        entries,
        lines,
    )


def require_complete(profile: Profile, schema: Schema) -> None:
    """Check that no required key is missing; raises ProfileError naming the first that is."""
    for section, keys in schema.items():
        for key in keys:
            path = f"{section}.{key.name}"
            if not key.optional and path not in profile.entries:
                line = profile.lines.get(section, 0)
                raise ProfileError(profile.file, path, f"missing (a value in {key.unit} with kind and source)", line)


def _header(document: Mapping[str, object], key: str, file: str, lines: Mapping[str, int]) -> str:
    value = document.get(key)
    if not isinstance(value, str) or not value:
        raise ProfileError(file, key, "must be a non-empty text", lines.get(key, 0))
    return value


def key_lines(text: str) -> dict[str, int]:
    """Line of each `section.key`, `section` and header key (the parser keeps no positions)."""
    lines: dict[str, int] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("["):
            section = stripped.strip("[]").strip()
            lines.setdefault(section, number)
        elif "=" in stripped and not stripped.startswith("#"):
            name = stripped.partition("=")[0].strip().strip('"')
            lines.setdefault(f"{section}.{name}" if section else name, number)
    return lines


def read_text(path: Path) -> str:
    """Text of a profile file; raises ProfileError when it can't be read, and for a device, which may have no end."""
    try:
        return read_regular(path, _MAX_BYTES).decode("utf-8").replace("\r\n", "\n")
    except OSError as error:
        raise ProfileError(str(path), "", f"can't be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ProfileError(str(path), "", "can't be read: not UTF-8") from error
    except ValueError as error:  # no path: it has a NUL in it
        raise ProfileError(str(path), "", f"can't be read: {error}") from error
