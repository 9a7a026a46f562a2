"""A profile's text with other entries in it, each on a line of its own; every other byte stays what it was.

Lines are changed, and no document is written anew: tomlkit keeps these files too, but puts a key only at the end of its
section. What came of it is parsed, and refused where it says anything but the old text with the new entries.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from warplens.hwprofiles.bounded_toml import TomlError, parse_toml
from warplens.hwprofiles.calibrate.written_profile import entry_text
from warplens.hwprofiles.entry import Entry
from warplens.hwprofiles.schema import Schema

_HEADER = re.compile(r"\s*\[\s*(?P<section>\w+)\s*\]\s*(?:#.*)?", re.DOTALL)
_ENTRY = re.compile(
    r"(?P<before>\s*(?P<key>\w+)\s*=\s*)"
    r"""\{(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'{}])*\}"""
    r"(?P<after>\s*(?:#.*)?)",
    re.DOTALL,
)


class ProfileEditError(ValueError):
    """A text that is not laid out as profiles are, a line for each entry; the message names the key."""


@dataclass(frozen=True, slots=True)
class _Places:
    """Numbers of lines, from 0: of `[section]`, and of `section.key` where the entry is that line."""

    headers: Mapping[str, int]
    entries: Mapping[str, int]


def with_entries(text: str, entries: Mapping[str, Entry], schema: Schema) -> str:
    r"""Put entries by `section.key` in the place of those that are there, and new ones where the schema has them.

    The text is that of a profile, whole or with `extends`. A comment behind an entry stays. Raises ProfileEditError,
    and TomlError for a text that is no TOML.

    >>> from warplens.hwprofiles.schema import GPU_SCHEMA
    >>> banks = Entry(32, "banks", "measured", "here")
    >>> print(with_entries('[shared] # of an SM\n\n[l1]\n', {"shared.banks": banks}, GPU_SCHEMA), end="")
    [shared] # of an SM
    banks = { value = 32, unit = "banks", kind = "measured", source = "here" }
    <BLANKLINE>
    [l1]
    """
    wanted = parse_toml(text)
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    for key, entry in entries.items():
        section, _, name = key.partition(".")
        _put(lines, key, entry_text(entry), wanted, schema)
        wanted.setdefault(section, {})[name] = parse_toml(f"entry = {entry_text(entry)}")["entry"]
    edited = "".join(lines)
    if _parsed(edited) != wanted:
        raise ProfileEditError("entries can't be changed in place: they are not laid out as a line each")
    return edited


def _put(lines: list[str], key: str, entry: str, document: Mapping[str, Any], schema: Schema) -> None:
    """Change the lines by one entry; `document` is what they say. Raises ProfileEditError."""
    section, _, name = key.partition(".")
    places = _places(lines)
    found = _ENTRY.fullmatch(lines[places.entries[key]]) if key in places.entries else None
    if found is not None:
        lines[places.entries[key]] = f"{found['before']}{entry}{found['after']}"
    elif name in document.get(section, {}):
        raise ProfileEditError(f"{key} can't be changed in place: it is not one line, `{name} = {{ ... }}`")
    elif section in places.headers:
        keys = [f"{section}.{each.name}" for each in schema[section]]
        earlier = [places.entries[each] for each in keys[: keys.index(key)] if each in places.entries]
        _insert(lines, (earlier or [places.headers[section]])[-1] + 1, (f"{name} = {entry}",))
    elif section in document:
        raise ProfileEditError(f"{key} can't be added: there is no line `[{section}]`")
    else:
        later = list(schema)[list(schema).index(section) + 1 :]
        at = min((places.headers[each] for each in later if each in places.headers), default=len(lines))
        _insert_section(lines, at, (f"[{section}]", f"{name} = {entry}"))


def _places(lines: list[str]) -> _Places:
    headers: dict[str, int] = {}
    entries: dict[str, int] = {}
    section = ""
    for number, line in enumerate(lines):
        if header := _HEADER.fullmatch(line):
            section = header["section"]
            headers.setdefault(section, number)
        elif line.lstrip().startswith("["):
            section = ""  # a table that is no section: what is in it is not looked at
        elif section and (entry := _ENTRY.fullmatch(line)):
            entries.setdefault(f"{section}.{entry['key']}", number)
    return _Places(headers, entries)


def _insert(lines: list[str], at: int, added: tuple[str, ...]) -> None:
    """Put lines before line `at`, with the ends that the file's lines have."""
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += end
    lines[at:at] = [f"{line}{end}" for line in added]


def _insert_section(lines: list[str], at: int, section: tuple[str, ...]) -> None:
    """Put a section before the header in line `at` and the comment above it, or at the end, a blank line apart."""
    if at == len(lines):
        is_apart = not lines or not lines[-1].strip()
        _insert(lines, at, section if is_apart else ("", *section))
        return
    while at and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    _insert(lines, at, (*section, ""))


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return parse_toml(text)
    except TomlError:
        return None
