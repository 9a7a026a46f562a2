"""Accesses in the source's own words, so that messages quote what the user wrote."""

from __future__ import annotations

import re
from dataclasses import replace

from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rewrite_accesses import rewrite_accesses

_NO_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\\\n|\s+", re.DOTALL)
_NAME = re.compile(r"[^\W\d]\w*")
_MEMBER = re.compile(r"(?:\.|->) ?[^\W\d]\w*")
_LONGEST = 60


def in_source_words(nest: LoopNest, texts: dict[NodeId, str]) -> LoopNest:
    """The nest with each access's `text` from `texts`, which hold the source of nodes that are not from a macro."""

    def worded(access: Access) -> Access:
        text = one_line(texts.get(access.id, ""))
        return replace(access, text=text) if designates(text, access) else access

    return rewrite_accesses(nest, worded)


def one_line(piece: str) -> str:
    r"""A piece of C without comments, blanks collapsed.

    >>> one_line("a[ i *\n  n + j /* column */ ]")
    'a[i * n + j]'
    """
    text = " ".join(_NO_CODE.sub(" ", piece).split())
    return re.sub(r"(?<=[\[(]) | (?=[\])\[])", "", text)


def designates(text: str, access: Access) -> bool:
    """Whether the text is a whole reference of a common form: the places of casts and initialisers are wider or less.

    `*p`, `*(...)`, or a name with as many subscripts as the access has (fewer if another pointer stands for some).
    """
    if len(text) > _LONGEST:
        return False
    if text.startswith("*"):
        return _closing(text, 1) == len(text) - 1 or (len(access.indices) == 1 and bool(_NAME.fullmatch(text, 1)))
    name = _NAME.match(text)
    if name is None:
        return False
    subscripts: list[str] = []
    at = name.end()
    while at < len(text):
        member = _MEMBER.match(text, at)
        end = member.end() - 1 if member else _closing(text, at) if text[at] == "[" else -1
        if end < 0:
            return False
        if not member:
            subscripts.append(text[at + 1 : end])
        at = end + 1
    if at == name.end():
        return False
    of_member = access.member.count("[")  # constant ones are no dimensions
    if not access.array.startswith(name[0]):
        return len(subscripts) <= len(access.indices) + of_member
    implied = 1 if "->" in text[name.end() :] and not MemoryPath.of(access.array).has_arrow else 0
    literals = zip(subscripts, access.indices, strict=False)
    agree = implied or all(index == Polynomial.constant(int(s)) for s, index in literals if s.isdecimal())
    return len(subscripts) + implied == len(access.indices) + of_member and bool(agree)


def _closing(text: str, opening: int) -> int:
    """Offset of the bracket that closes the one at `opening`, -1 when there is none."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] in "([") - (text[at] in ")]")
        if depth <= 0:
            return at if at > opening else -1
    return -1
