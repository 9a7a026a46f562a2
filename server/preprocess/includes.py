"""What a text and a preprocessor's output say of included files: those asked for, and those that were opened."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from warplens.server.preprocess.confinement import Confinement

_ASKED = re.compile(r'[ \t]*(?:#|%:|\?\?=)[ \t]*(?:include(?:_next)?|import)\b[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)')
_ASKING = re.compile(r"include|import")
_EMBEDDED = re.compile(r"^[ \t]*(?:#|%:|\?\?=)[ \t]*embed\b[^\n]*", re.MULTILINE)
_ENTERED = re.compile(r'# \d+ "((?:\\.|[^"\\\n])*)" 1\b')
_ENTERING = '" 1'
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_NO_FILES = frozenset({"<built-in>", "<command-line>", "<command line>", "<stdin>"})


def without_outside(
    text: str, directory: Path, folders: Iterable[str], confinement: Confinement
) -> tuple[str, list[tuple[int, str]]]:
    """Blank each `#include` of a text that would lead to a file that must not be read: (text, (line, name) of each).

    Only what is seen at first sight is found: `outside_of` looks at what was opened in the end. A `#embed` is always
    blanked: bytes are of no use to the analysis.
    """
    refused: list[tuple[int, str]] = []
    places = [str(directory), *folders]
    for asked in [*_asked(text)]:
        name = asked[1] or asked[2]
        if _leads_outside(name, places, confinement):
            refused.append((text.count("\n", 0, asked.start()) + 1, name))
            text = f"{text[: asked.start()]}{' ' * len(asked.group())}{text[asked.end() :]}"
    if "embed" in text:
        text = _EMBEDDED.sub(lambda each: " " * len(each.group()), text)
    return text, refused


def asked_headers(text: str) -> frozenset[str]:
    """Names of the files that a text includes, without their folders."""
    return frozenset((asked[1] or asked[2]).rpartition("/")[2] for asked in _asked(text))


def entered_files(output: str, directory: Path) -> tuple[str, ...]:
    """Absolute paths of the files that a preprocessor opened for its output, which it began in a folder."""
    return tuple(dict.fromkeys(os.path.normpath(directory / name) for name in _entered(output) if name[:1] != "<"))


def _asked(text: str) -> Iterator[re.Match[str]]:
    """Lines that include a file by its name; most lines of a text aren't looked at."""
    begin = 0
    while word := _ASKING.search(text, begin):
        asked = _ASKED.match(text, text.rfind("\n", begin, word.start()) + 1 or begin)
        if asked is not None:
            yield asked
        begin = text.find("\n", word.end()) + 1
        if begin == 0:
            break


def _leads_outside(name: str, places: Iterable[str], confinement: Confinement) -> bool:
    """Whether the first file that the name may mean lies outside, or is a device or a pipe."""
    for place in [""] if Path(name).is_absolute() else places:
        path = Path(place, name)
        try:
            if path.exists():
                return not (confinement.allows(path) and path.is_file())
        except (OSError, ValueError):
            return False
    return Path(name).is_absolute() and not confinement.allows(name)


def outside_of(output: str, main_path: str, directory: Path, confinement: Confinement) -> list[str]:
    """Files that a preprocessor opened though it must not have, by their names in the markers of its output."""
    return [name for name in dict.fromkeys(_entered(output)) if not _is_inside(name, main_path, directory, confinement)]


def _entered(output: str) -> Iterator[str]:
    begin = 0
    while (at := output.find(_ENTERING, begin)) >= 0:
        marker = _ENTERED.match(output, output.rfind("\n", begin, at) + 1 or begin)
        if marker is not None:
            yield _ESCAPE.sub(lambda each: chr(int(each[1], 8)) if each[1].isdigit() else each[1], marker[1])
        begin = output.find("\n", at) + 1
        if begin == 0:
            break


def _is_inside(name: str, main_path: str, directory: Path, confinement: Confinement) -> bool:
    if "\ufffd" in name:
        return False  # bytes that are no text: which file it was can't be told
    path = os.path.join(directory, name)  # noqa: PTH118 - most need no Path
    if confinement.allows(path):
        return True
    # A file may be called <stdin>, and be a link.
    return Path(name) == Path(main_path) or (name in _NO_FILES and not Path(path).is_symlink())
