"""What was read of one file of a program as the server keeps it: bytes that only the analysis processes look into."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class HeaderState:
    """An included file as it was when it was read."""

    path: str
    changed_ns: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a file was read from: as long as all of it is the same, reading it again gives the same.

    `text` is a digest of the file's bytes, `how` one of the flags, the trust, the code that reads and the places where
    headers of these `names` are, `headers` are those that were read.
    """

    text: str
    how: str
    headers: tuple[HeaderState, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PackedFile:
    """One file. `said` is a digest of all that answers of other files may depend on, `placed` of where it stands.

    `content` is the IndexedFile as `packed` wrote it.
    """

    path: str
    grounds: Grounds
    said: str
    placed: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that says nothing, and why; `reason` is empty where there is none any more."""

    path: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SameFile:
    """A file that gives what is known of it."""

    path: str
