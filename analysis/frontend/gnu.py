"""GNU spellings rewritten to ISO C without moving a character: replacements are padded, newlines stay."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORDS = {
    "__inline": "inline", "__inline__": "inline", "__restrict": "restrict", "__restrict__": "restrict",
    "__const": "const", "__const__": "const", "__volatile": "volatile", "__volatile__": "volatile",
    "__signed__": "signed", "__signed": "signed", "__alignof__": "_Alignof", "__alignof": "_Alignof",
    "__thread": "", "__complex__": "_Complex", "__extension__": "", "__builtin_va_list": "void*",
    "__float128": "double", "_Float128": "double", "_Float64x": "double", "_Float32x": "double", "_Float64": "double",
    "_Float32": "float", "_Float16": "float", "__bf16": "float", "__int128": "long", "__int128_t": "long",
    "__uint128_t": "long", "__auto_type": "int", "__real__": "", "__imag__": "", "__label__": "int",
}  # fmt: skip
_CALLS = {
    "__attribute__": "", "__attribute": "", "__declspec": "", "__typeof__": "int", "__typeof": "int", "typeof": "int",
    "__asm__": "", "__asm": "", "asm": "", "__builtin_offsetof": "0", "__builtin_types_compatible_p": "1",
}  # fmt: skip
_LOSES_MEANING = {
    "__int128": "128-bit integers are taken as 64-bit ones",
    "__auto_type": "`__auto_type` is taken as int",
    "__typeof__": "`typeof` is taken as int",
    "__typeof": "`typeof` is taken as int",
    "typeof": "`typeof` is taken as int",
    "__float128": "128-bit floating point is taken as double",
    "_Float128": "128-bit floating point is taken as double",
    "_Float16": "16-bit floating point is taken as float",
    "__bf16": "16-bit floating point is taken as float",
    "__imag__": "`__imag__` is dropped",
}
_LITERAL = r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
_NEEDED = re.compile(r"\b(?:" + "|".join(sorted({*_WORDS, *_CALLS}, key=len, reverse=True)) + r")\b")
_TOKEN = re.compile(_LITERAL + r"|[^\W\d]\w*")
_BRACKET = re.compile(_LITERAL + r"|[()]")
_OPENING = re.compile(r"\s*(?:(?:volatile|__volatile__|__volatile|inline|goto)\s*)*\(")
_IMAGINARY = re.compile(_LITERAL + r"|(?<![\w.])((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([fFlL]?[iIjJ][fFlL]?)\b")
_MAYBE_IMAGINARY = re.compile(r"[\d.][fFlL]?[iIjJ]")
_NOT_NEWLINE = re.compile(r"[^\n]")
_STATEMENT_EXPRESSION = re.compile(r"\(\s*\{")
_CASE_RANGE = re.compile(r"\bcase\b([^:\n]+?)(\.\.\.[^:\n]+?):")
_LABEL_ADDRESS = re.compile(r"([=,({]\s*)&&(\s*\w)")


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
    inexact: dict[str, None] = {}
    if _MAYBE_IMAGINARY.search(text):
        plain = _IMAGINARY.sub(lambda m: m.group(1) + " " * len(m.group(2)) if m.group(1) else m.group(), text)
        if plain != text:
            inexact["imaginary constants are taken as real ones"] = None
            text = plain
    if not _NEEDED.search(text):
        return Rewritten(text, tuple(inexact))
    pieces: list[str] = []
    at = 0
    for match in _TOKEN.finditer(text):
        word = match.group()
        if match.start() < at or (word not in _WORDS and word not in _CALLS):
            continue
        end, replacement = match.end(), _WORDS.get(word, "")
        if word in _CALLS:
            opening = _OPENING.match(text, end)
            if opening is None:
                continue
            end, replacement = matching_parenthesis(text, opening.end() - 1), _CALLS[word]
            if word.strip("_") == "asm" and 0 <= body < match.start() and _starts_statement(text, match.start()):
                replacement = "asm()"
            if word.startswith("__attribute") and "packed" in text[match.start() : end]:
                inexact["`packed` is ignored: member offsets may differ"] = None
        if word in _LOSES_MEANING:
            inexact[_LOSES_MEANING[word]] = None
        pieces += [text[at : match.start()], _padded(replacement, text[match.start() : end])]
        at = end
    return Rewritten("".join(pieces) + text[at:], tuple(inexact))


def without_statement_expressions(text: str) -> Rewritten:
    """`({ ... })` becomes `(0 )`."""
    changed = text
    while match := _STATEMENT_EXPRESSION.search(changed):
        end = matching_parenthesis(changed, match.start())
        changed = changed[: match.start()] + _padded("(0)", changed[match.start() : end]) + changed[end:]
    return Rewritten(changed, () if changed == text else ("a statement expression is taken as 0",))


def without_label_extensions(text: str) -> Rewritten:
    """Case ranges keep their first value, `&&label` becomes `&label`."""
    changed = _CASE_RANGE.sub(lambda m: f"case{m.group(1)}{' ' * len(m.group(2))}:", text)
    changed = _LABEL_ADDRESS.sub(r"\1& \2", changed)
    return Rewritten(changed, () if changed == text else ("case ranges keep their first value only",))


def _starts_statement(text: str, at: int) -> bool:
    before = text[:at].rstrip()
    return before[-1:] in {";", "{", "}", ")", ":"} or before.endswith(("else", "do"))


def _padded(replacement: str, original: str) -> str:
    """Put `replacement` first, then blanks, the original's newlines in their places."""
    blanks = _NOT_NEWLINE.sub(" ", original)
    head = blanks[: len(replacement)]
    return replacement + blanks[len(replacement) :] if "\n" not in head else blanks[:-1] + replacement[:1]
