"""Entries as the text of a profile, which the loader reads back as the same entries."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from textwrap import wrap

from warplens.hwprofiles.entry import Entry, Value

_WIDTH = 118
_TEXTS = ("measured_on", "note", "fitted_to", "checked_on")


def profile_text(
    *,
    id: str,  # noqa: A002 - the key's name in the profile
    name: str,
    vendor: str,
    aliases: Sequence[str],
    extends: str,
    comment: str,
    entries: Mapping[str, Entry],
) -> str:
    """TOML of a profile: a comment, the header without what is empty, and `entries` by `section.key`.

    Sections and keys come in the order of `entries`, each section once. The lines of `comment` are wrapped.
    """
    lines = [f"# {line}" for paragraph in comment.splitlines() for line in wrap(_printable(paragraph), _WIDTH)]
    lines += ["schema = 1", f"id = {_text(id)}", f"name = {_text(name)}"]
    if vendor:
        lines.append(f"vendor = {_text(vendor)}")
    if aliases:
        lines.append(f"aliases = [{', '.join(map(_text, aliases))}]")
    if extends:
        lines.append(f"extends = {_text(extends)}")
    sections: dict[str, list[str]] = {}
    for key, entry in entries.items():
        section, _, own = key.partition(".")
        sections.setdefault(section, []).append(f"{own} = {entry_text(entry)}")
    for section, keys in sections.items():
        lines += ["", f"[{section}]", *keys]
    return "\n".join(lines) + "\n"


def entry_text(entry: Entry) -> str:
    """One line of TOML, an inline table: value, unit, kind and source, then what else is said, the clock last."""
    fields = [f"value = {_value(entry.value)}", f"unit = {_text(entry.unit)}", f"kind = {_text(entry.kind)}"]
    fields.append(f"source = {_text(entry.source)}")
    fields += [f"{field} = {_text(getattr(entry, field))}" for field in _TEXTS if getattr(entry, field)]
    if entry.clock_mhz:
        fields.append(f"clock_mhz = {entry.clock_mhz:.15g}")
    return f"{{ {', '.join(fields)} }}"


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _printable(text: str) -> str:
    """Without control characters: TOML has no escapes in a comment, and a device's name may hold anything."""
    return "".join(each if each.isprintable() else " " for each in text)


def _text(text: str) -> str:
    r"""A basic string of TOML, which JSON's are but for U+007F.

    >>> print(_text('a "b"\n\x7f'))
    "a \"b\"\n\u007f"
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
