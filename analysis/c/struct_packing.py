"""Where `#pragma pack` is in force, also one that a header sets and takes back.

A structure defined there is told apart by an attribute, as if it had been declared so: what reads attributes then says
that its layout may differ.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

PACKED_BY_PRAGMA = "__pragma_pack__"
_PACK = re.compile(r"""ragma[ \t]*(?:\([ \t]*(?:L?"[ \t]*)?)?pack[ \t]*\(([^()\n]*)\)""")
"""In all spellings: a line's, `_Pragma("pack(1)")`, `__pragma(pack(1))`."""
_WIDEST_ALIGNMENT_BYTES = 16
"""A structure has no member that would stand at a larger multiple by itself."""
_NOT_PACKED = frozenset({"", "0", str(_WIDEST_ALIGNMENT_BYTES)})
_STRUCTURE = re.compile(r"\b(?:struct|union)\b[^;]*\{")

_Saved = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Packing:
    """Whether structures are packed, by offset: `packed[i]` from `starts[i]` on, the first from the text's start.

    `saved` are the settings that are pushed and not popped at the text's end, with the names they were pushed by.
    """

    starts: tuple[int, ...] = (0,)
    packed: tuple[bool, ...] = (False,)
    saved: _Saved = ()

    def touches(self, start: int, end: int) -> bool:
        """Whether it is in force somewhere in `start..end`."""
        first, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, end)
        return any(self.packed[first:last])


def packing(text: str, before: Packing) -> Packing:
    """What the pragmas of a preprocessed text say; `before` is that of the text in front of it."""
    is_packed, saved = before.packed[-1], before.saved
    starts, packed = [0], [is_packed]
    for match in _PACK.finditer(text) if "ragma" in text else ():
        is_packed, saved = _after([word.strip() for word in match[1].split(",")], is_packed, saved)
        starts.append(match.start())
        packed.append(is_packed)
    return Packing(tuple(starts), tuple(packed), saved)


def _after(words: list[str], is_packed: bool, saved: _Saved) -> tuple[bool, _Saved]:
    """The setting after one pragma; a last word that is no number may be a macro for one: taken as packed."""
    action, *given = words
    match action:
        case "show":
            return is_packed, saved
        case "push":
            saved = (*saved, (given[0] if given else "", is_packed))
            return (given[-1] not in _NOT_PACKED if given else is_packed), saved
        case "pop":
            named = [at for at, (name, _) in enumerate(saved) if name in given]
            at = named[-1] if named else len(saved) - 1
            if at >= 0:
                is_packed, saved = saved[at][1], saved[:at]
            return (given[-1] not in _NOT_PACKED if given and given[-1].isdigit() else is_packed), saved
        case _:
            return action not in _NOT_PACKED, saved


def marked_as_packed(content: str) -> str:
    """A declaration that stands where structures are packed; one that defines none stays as it is."""
    if _STRUCTURE.search(content) is None:
        return content
    end = len(content.removesuffix(";"))
    return f"{content[:end]} __attribute__(({PACKED_BY_PRAGMA})){content[end:]}"
