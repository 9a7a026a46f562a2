"""The result of `warplens port`: its texts, its diff, and how it gets onto the disk without harming what lies there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from warplens.analysis.ports.fix import FixEdits, OfferedFix, applied
from warplens.server.cli.analyse_files import STANDARD_INPUT
from warplens.server.files.atomic_file import replace_file, rewrite_file
from warplens.server.files.regular_file import read_regular
from warplens.server.files.sibling_file import Sibling, sibling, text_at
from warplens.server.files.source_file import MAX_SOURCE_BYTES, decode, encode
from warplens.server.json.version import JSON_VERSION
from warplens.server.render.unified_diff import diff_text


class WriteRefusedError(Exception):
    """Nothing was written; the message says why."""


@dataclass(frozen=True)
class Ported:
    """A fix of a file at `path`, `-` for standard input, whose text is `source`."""

    path: str
    source: str
    offer: OfferedFix
    edits: FixEdits

    @property
    def is_nothing(self) -> bool:
        """Whether the fix has been applied already."""
        return not self.edits.edits and not self.edits.new_files

    @cached_property
    def changed_source(self) -> str:
        """The source afterwards."""
        return applied(self.source, self.edits)

    @property
    def new_texts(self) -> str:
        """Texts of the new files, one after the other."""
        return "".join(file.text for file in self.edits.new_files)

    @property
    def only_text(self) -> str:
        """Text of the one file that is the result; raises WriteRefusedError for several."""
        if len(self.edits.new_files) + bool(self.edits.edits) > 1:
            raise WriteRefusedError("the result is more than one file, use --write")
        return self.new_texts if self.edits.new_files else self.changed_source

    def beside(self, name: str) -> Path:
        """Where a new file goes."""
        return Path(self.path).with_name(name) if self.path != STANDARD_INPUT else Path(name)

    @property
    def diff(self) -> str:
        """Unified diff of the source and of new files, against what lies at their places."""
        parts = [diff_text(self.source, self.changed_source, *_diff_names(Path(self.path)))]
        for file in self.edits.new_files:
            path = self.beside(file.name)
            parts.append(diff_text(_text_now(path), file.text, *_diff_names(path)))
        return "".join(parts)


def write_in_place(ported: Ported, *, force: bool) -> list[Path]:
    """Change the source and put new files beside it: all or, if anything stands against it, nothing."""
    contents: dict[Path, bytes] = {}
    for file in ported.edits.new_files:
        path = ported.beside(file.name)
        found = _found(path, file.text, force=force)
        if found is not Sibling.SAME:
            contents[path] = _utf8(file.text)
    if ported.edits.edits:
        contents[Path(ported.path)] = _source_bytes(ported)
    return _write(contents, Path(ported.path))


def write_to(ported: Ported, output: Path, *, force: bool) -> list[Path]:
    """Write the one file that is the result, a changed source in its own encoding."""
    text = ported.only_text
    if _found(output, text, force=force) is Sibling.SAME:
        return []
    is_new = bool(ported.edits.new_files) or ported.path == STANDARD_INPUT
    return _write({output: _utf8(text) if is_new else _source_bytes(ported)})


def ported_as_json(ported: Ported, title: str, line: int, refusal: str, written: Sequence[Path]) -> dict[str, Any]:
    """The result with what was written of it."""
    texts: dict[Path, str] = {}
    if ported.edits.edits:
        texts[Path(ported.path)] = ported.changed_source
    texts.update((ported.beside(file.name), file.text) for file in ported.edits.new_files)
    return {
        "version": JSON_VERSION,
        "path": ported.path,
        "line": line,
        "code": ported.offer.code,
        "variant": ported.offer.variant,
        "title": title,
        "refusal": refusal or None,
        "note": ported.edits.note or None,
        "promise": ported.edits.promise or None,
        "restsOn": list(ported.edits.rests_on),
        "gain": ported.offer.gain,
        "files": [{"path": str(path), "text": text} for path, text in texts.items()],
        "diff": "" if ported.edits.refusal else ported.diff,
        "written": [str(path) for path in written],
    }


def _utf8(text: str) -> bytes:
    """A new file's text; it names its source, whose name need not be UTF-8."""
    return text.encode("utf-8", "backslashreplace")


def _source_bytes(ported: Ported) -> bytes:
    try:
        content = read_regular(Path(ported.path), MAX_SOURCE_BYTES)
        if decode(content).text != ported.source:
            raise WriteRefusedError(f"{ported.path} changed while it was analysed")
        return encode(ported.changed_source, content)
    except ValueError as error:
        raise WriteRefusedError(f"{ported.path} can't be written in its encoding: {error}") from None
    except OSError as error:
        raise WriteRefusedError(f"{ported.path}: {error.strerror or error}") from None


def _write(contents: Mapping[Path, bytes], source: Path | None = None) -> list[Path]:
    for path, content in contents.items():
        try:
            (rewrite_file if path == source else replace_file)(path, content)
        except OSError as error:
            raise WriteRefusedError(f"{path}: {error.strerror or error}") from None
    return list(contents)


def _found(path: Path, text: str, *, force: bool) -> Sibling:
    """What is where a file goes; raises WriteRefusedError where it may not be replaced."""
    found = sibling(path, text)
    if found is Sibling.NO_TEXT:
        raise WriteRefusedError(f"{path} is there and is no text file that could be replaced")
    if found is Sibling.OTHER and not force:
        raise WriteRefusedError(f"{path} exists and holds other text (--force replaces it)")
    return found


def _text_now(path: Path) -> str | None:
    try:
        return text_at(path)
    except OSError:
        return None


def _diff_names(path: Path) -> tuple[str, str]:
    name = path.as_posix().lstrip("/")
    return f"a/{name}", f"b/{name}"
