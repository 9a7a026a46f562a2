"""GNU and C23 spellings rewritten to what the parser reads, without moving a character.

Replacements are padded, newlines stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from warplens.analysis.c.struct_packing import PACKED_BY_PRAGMA, Packing, packing
from warplens.analysis.c.vector_typedefs import vector_typedef

_WORDS = {
    "__inline": "inline", "__inline__": "inline", "__restrict": "restrict", "__restrict__": "restrict",
    "__const": "const", "__const__": "const", "__volatile": "volatile", "__volatile__": "volatile",
    "__signed__": "signed", "__signed": "signed", "__alignof__": "_Alignof", "__alignof": "_Alignof",
    "__thread": "_Thread_local", "__complex__": "_Complex", "__complex": "_Complex", "__extension__": "",
    "__builtin_va_list": "void*", "__gnuc_va_list": "void*", "__cdecl": "", "__stdcall": "", "__fastcall": "",
    "__forceinline": "inline", "__float128": "double", "_Float128": "double", "_Float64x": "double",
    "_Float32x": "double", "_Float64": "double", "_Float32": "float", "_Float16": "float", "__bf16": "float",
    "__fp16": "float", "_Decimal32": "float", "_Decimal64": "double", "_Decimal128": "double", "__int128": "long",
    "__int128_t": "long", "__uint128_t": "long", "__int64": "long", "__auto_type": "auto", "__real__": "",
    "__real": "", "__imag__": "", "__imag": "", "__label__": "int", "__typeof__": "typeof", "__typeof": "typeof",
    "__typeof_unqual__": "typeof_unqual", "__nullptr": "0",
}  # fmt: skip
_CALLS = {
    "__attribute__": "", "__attribute": "", "__declspec": "", "__asm__": "", "__asm": "", "asm": "",
    "__builtin_offsetof": "0", "__builtin_types_compatible_p": "1",
    "__builtin_convertvector": "0", "__builtin_shufflevector": "0",
}  # fmt: skip
_LOSES_MEANING = {
    "__int128": "128-bit integers are taken as 64-bit ones",
    "__int128_t": "128-bit integers are taken as 64-bit ones",
    "__uint128_t": "128-bit integers are taken as 64-bit ones",
    "__float128": "128-bit floating point is taken as double",
    "_Float128": "128-bit floating point is taken as double",
    "_Float16": "16-bit floating point is taken as float",
    "__fp16": "16-bit floating point is taken as float",
    "__bf16": "16-bit floating point is taken as float",
    "_Decimal32": "decimal floating point is taken as binary",
    "_Decimal64": "decimal floating point is taken as binary",
    "_Decimal128": "decimal floating point is taken as binary",
    "__real__": "`__real__` is dropped",
    "__imag__": "`__imag__` is dropped",
    "__builtin_types_compatible_p": "`__builtin_types_compatible_p` is taken as true",
    "__builtin_offsetof": "`offsetof` is taken as 0",
    "__builtin_convertvector": "conversions of vectors are taken as 0",
    "__builtin_shufflevector": "shuffles of vectors are taken as 0",
}
_PACKED_BY_PRAGMA: dict[str, None] = {"`#pragma pack` is ignored: member offsets may differ": None}
_HINTS = {
    "__builtin_assume_aligned": "(void*)", "__builtin_expect": "", "__builtin_expect_with_probability": "",
}  # fmt: skip
"""What gives its first argument back: of what type, where that is another one."""
LITERAL = r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
_PLAIN_ARGUMENT = r"[^(){}\[\];=\"'#]|\"[^\"\\\n]*\""
IMAGINARY = "imaginary constants are taken as real ones"
"""What is inexact about values alone: who assigns what to which variable stays as it is."""
ATTRIBUTE = rf"__attribute__\s*\(\((?>(?:{_PLAIN_ARGUMENT}|\((?>(?:{_PLAIN_ARGUMENT})*)\))*)\)\)"
"""The usual ones: what is in their brackets has brackets of its own once at most."""
_QUICK = re.compile(r"\d[\w.']|[\d.][a-zA-Z]|_[A-Z]|asm|typeof|\[\s*\[")
_NEEDED = re.compile(r"\b__|\b_(?:Float|Decimal)\d|\basm\b|\btypeof|\[\s*\[")
_ALIGNED = r"\b(?:aligned|__aligned__|_Alignas)\b"
_STRUCT_BODY = r"\b(?:struct|union)\b[^;{}()]*\{"
_ALIGNED_STRUCT = re.compile(rf"(?s:{_STRUCT_BODY}.*{_ALIGNED}|struct\s*__attribute__[^{{;]*{_ALIGNED}[^{{;]*\{{)")
_TOKEN = re.compile(LITERAL + r"|[^\W\d]\w*|\[\s*\[")
_HINT = re.compile(LITERAL + r"|\b__builtin_(?:assume_aligned|expect(?:_with_probability)?)\b(?=\s*\()")
_ARGUMENT_END = re.compile(LITERAL + r"|[()\[\]{},]")
_BRACKET = re.compile(LITERAL + r"|[()]")
_SQUARE = re.compile(LITERAL + r"|[\[\]]")
_OPENING = re.compile(r"\s*(?:(?:volatile|__volatile__|__volatile|inline|__inline__|goto|const)\s*)*\(")
_NUMBER = re.compile(
    LITERAL
    + r"""|(?<![\w.])(?P<digits>(?:0[xX][\da-fA-F'.]+(?:[pP][+-]?\d+)?|0[bB][01'_]+|(?:\d[\d']*\.?[\d']*|\.\d[\d']*)"""
    + r"""(?:[eE][+-]?\d+)?))(?P<suffix>[a-zA-Z]\w*)?"""
)
_ODD_NUMBER = re.compile(r"\d'\d|[\d.](?:[fFlLuU]{0,2}[iIjJ]|[dD][dDfFlL]|[wWqQ]|[fF]\d|[uU]?[wW][bB])")
_SEPARATOR = re.compile(r"'")
_IMAGINARY_SUFFIX = re.compile(r"[iIjJ]")
_PLAIN_SUFFIX = re.compile(r"(?:[uU](?:ll?|LL?)?|(?:ll?|LL?)[uU]?|[fF])\Z")
_NOT_NEWLINE = re.compile(r"[^\n]")
_PRAGMA = re.compile(LITERAL + r"|^[ \t]*#[ \t]*pragma\b[^\n]*|[()\[\]{};:,=+\-*/%<>!&|^~?]|[^\W\d]\w*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Text of the same length; `inexact` says in what it may mean something else."""

    text: str
    inexact: tuple[str, ...] = ()


def matching_parenthesis(text: str, opening: int) -> int:
    """Offset after the `)` of the `(` at `opening`; the end of the text when it never closes."""
    depth = 0
    for match in _BRACKET.finditer(text, opening):
        if match.group() == "(":
            depth += 1
        elif match.group() == ")":
            depth -= 1
            if depth == 0:
                return match.end()
    return len(text)


def rewrite_gnu(text: str, body: int = -1) -> Rewritten:
    """Rewrite one declaration; an `asm` statement after offset `body` becomes a call `asm()`, elsewhere it goes."""
    if body < 0 and "__" not in text and _QUICK.search(text) is None:
        return Rewritten(text)
    inexact = _alignment_asked_for(text, body)
    if _ODD_NUMBER.search(text):
        plain = _NUMBER.sub(_plain_number, text)
        if plain != text:
            if any(_IMAGINARY_SUFFIX.search(m.group("suffix") or "") for m in _NUMBER.finditer(text)):
                inexact[IMAGINARY] = None
            text = plain
    if body >= 0 and "pragma" in text:
        inexact |= _PACKED_BY_PRAGMA if any(packing(text, Packing()).packed) else {}
        text = _without_stray_pragmas(text, body)
    if not _NEEDED.search(text):
        return Rewritten(text, tuple(inexact))
    text = _without_hints(text) if "__builtin_" in text else text
    pieces: list[str] = []
    at = 0
    for match in _TOKEN.finditer(text):
        word = match.group()
        if match.start() < at or (word not in _WORDS and word not in _CALLS and word[0] != "["):
            continue
        end, replacement = match.end(), _WORDS.get(word, "")
        if word[0] == "[":
            end = _after_attribute(text, match.start())
        elif word in _CALLS:
            opening = _OPENING.match(text, end)
            if opening is None:
                continue
            end, replacement = matching_parenthesis(text, opening.end() - 1), _CALLS[word]
            if word.strip("_") == "asm" and 0 <= body < match.start() and _starts_statement(text, match.start()):
                replacement = "asm()"
            if word.startswith("__attribute"):
                end, replacement = vector_typedef(text, match.start(), end) or (end, replacement)
                inexact |= {} if replacement else _meaning_of_attribute(text[match.start() : end])
        if word in _LOSES_MEANING:
            inexact[_LOSES_MEANING[word]] = None
        pieces += [text[at : match.start()], padded(replacement, text[match.start() : end])]
        at = end
    return Rewritten("".join(pieces) + text[at:], tuple(inexact))


def _without_hints(text: str) -> str:
    """Calls that only tell the compiler something become their first arguments in parentheses."""
    for match in reversed(list(_HINT.finditer(text))):
        if (word := match.group()) not in _HINTS:
            continue
        opening = text.index("(", match.end())
        comma, end = _first_comma(text, opening), matching_parenthesis(text, opening)
        if comma >= end:
            continue
        rest = _NOT_NEWLINE.sub(" ", text[comma : end - 1])
        text = text[: match.start()] + padded(_HINTS[word], word) + text[match.end() : comma] + rest + text[end - 1 :]
    return text


def _first_comma(text: str, opening: int) -> int:
    """Offset of the first `,` between arguments, of the closing parenthesis where there is none."""
    depth = 0
    for match in _ARGUMENT_END.finditer(text, opening):
        one = match.group()
        if one == "," and depth == 1:
            return match.start()
        depth += (one in "([{") - (one in ")]}") if len(one) == 1 else 0
        if depth == 0:
            return match.start()
    return len(text)


def padded(replacement: str, original: str) -> str:
    """Put `replacement` first, then blanks, the original's newlines in their places."""
    blanks = _NOT_NEWLINE.sub(" ", original)
    head = blanks[: len(replacement)]
    return replacement + blanks[len(replacement) :] if "\n" not in head else blanks[:-1] + replacement[:1]


def _alignment_asked_for(text: str, body: int) -> dict[str, None]:
    if body < 0 and "lign" in text and _ALIGNED_STRUCT.search(text):
        return {"the alignment that a structure asks for is ignored: member offsets may differ": None}
    return {}


def _meaning_of_attribute(text: str) -> dict[str, None]:
    if PACKED_BY_PRAGMA in text:
        return _PACKED_BY_PRAGMA
    if "packed" in text:
        return {"`packed` is ignored: member offsets may differ": None}
    if "vector_size" in text:
        return {"vector types are taken as their element's type": None}
    return {}


def _after_attribute(text: str, opening: int) -> int:
    """Offset after the `]]` of a C23 attribute."""
    depth = 0
    for match in _SQUARE.finditer(text, opening):
        depth += {"[": 1, "]": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    return len(text)


def _plain_number(match: re.Match[str]) -> str:
    """A number without separators and without a suffix that only GNU C or C23 has."""
    digits, suffix = match.group("digits"), match.group("suffix") or ""
    if digits is None:
        return match.group()
    digits = _SEPARATOR.sub("", digits)
    if suffix and not _PLAIN_SUFFIX.match(suffix):
        suffix = "f" if suffix[0] in "fF" and not suffix[1:].isdigit() and "x" not in digits else ""
    return (digits + suffix).ljust(len(match.group()))


def _without_stray_pragmas(text: str, body: int) -> str:
    """Blank the pragmas that stand within an expression, a declarator or a list, where the parser has no place."""
    pieces: list[str] = []
    at = depth = 0
    before = ""
    for match in _PRAGMA.finditer(text):
        word = match.group()
        if word[0] in "# \t":
            if match.start() < body or depth or before not in {";", "{", "}", ":", ")", "else", "do"}:
                pieces += [text[at : match.start()], " " * len(word)]
                at = match.end()
            continue
        depth += (word in "([") - (word in ")]") if len(word) == 1 else 0
        before = word
    return "".join(pieces) + text[at:] if pieces else text


def _starts_statement(text: str, at: int) -> bool:
    before = text[:at].rstrip()
    return before[-1:] in {";", "{", "}", ")", ":"} or before.endswith(("else", "do"))
