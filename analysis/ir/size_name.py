"""Names of sizes as people write them: `n`, `p->n`, `grid[0]`, `table[1][k + 1]`, `kad_len(p)`, `iterations of i #2`.

Whatever a size is called can be said back; blanks do not matter, nor whether a member is reached by `->` or by `.`.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from warplens.analysis.ir.symbol import PHRASES, has_added, without_added

_WORD = r"[^\W\d]\w*"
_FOR_SIZES = rf"(?P<phrase>{'|'.join(phrase.replace(' ', chr(92) + 's+') for phrase in PHRASES)})\s+"
_PHRASE = re.compile(rf"{_FOR_SIZES}(?P<what>{_WORD}(?:\s*(?:->|\.)\s*{_WORD}|\s*\[\s*\w*\s*\])*)", re.IGNORECASE)
_NUMBER = re.compile(r"\s*#\s*(\d+)\Z")
_TOKENS = re.compile(r"\s+|->|<<|>>|[\w]+|'[^']'|\"[^\"]*\"|[-+*/%&|^~!.,?:()\[\]]")
_NAME = re.compile(_WORD)
_CLOSING = {"(": ")", "[": "]"}
_OLD = re.compile(r"(?P<what>\w.*?)_(?P<of>trips|elements)(?:_(?P<number>\d+))?")


def size_name(written: str) -> str:
    """The name as the analysis has it, whatever blanks are in it; empty for what can't be a size.

    >>> size_name("grid[ 0 ]"), size_name("t[1][k+1]"), size_name("s -> boxes->count"), size_name("2*n")
    ('grid[0]', 't[1][k + 1]', 's->boxes->count', '')
    >>> size_name("f( a,b )"), size_name("iterations  of i#2"), size_name("elements of s -> x")
    ('f(a, b)', 'iterations of i #2', 'elements of s->x')
    >>> size_name("( *n )"), size_name("end - p"), size_name("a b"), size_name("f(")
    ('(*n)', '(end - p)', '', '')
    """
    ordinal = _NUMBER.search(written)
    end = f" #{int(ordinal[1])}" if ordinal else ""
    body = written[: ordinal.start()] if ordinal else written
    phrase = _PHRASE.fullmatch(body.strip())
    if phrase is not None:
        return f"{' '.join(phrase['phrase'].lower().split())} {''.join(phrase['what'].split())}{end}"
    found = _expression(body)
    return f"{found}{end}" if found else ""


def size_key(name: str) -> str:
    """What is equal for all ways to write one name: `p -> n`, `(*p).n` and `p[0].n` are `p.n`.

    >>> size_key("p->n") == size_key("(*p).n") == size_key("p[0].n") == size_key("p . n")
    True
    >>> size_key("*n") == size_key("(*n)") == size_key("n[0]"), size_key("iterations of i#2")
    (True, 'iterations of i #2')
    """
    found = size_name(name) or name.strip()
    if found.startswith("(*") and found.endswith(")") and _NAME.fullmatch(found, 2, len(found) - 1):
        found = f"{found[2:-1]}[0]"
    found = re.sub(rf"\(\*({_WORD})\)(?=\.|->)", r"\1.", found).replace("[0].", ".").replace("[0]->", "[0].")
    return found.replace("->", ".").replace("..", ".")


def by_size_key(names: Collection[str]) -> dict[str, str]:
    """The names by what is equal for all ways to write them; `n` is the second `n`, too, where the first is not there.

    >>> by_size_key(["p->n", "m #2", "k", "k #2"])
    {'p.n': 'p->n', 'k': 'k', 'm #2': 'm #2', 'k #2': 'k #2', 'm': 'm #2'}
    """
    found = {size_key(name): name for name in sorted(names, key=has_added)}
    for name in filter(has_added, names):
        found.setdefault(size_key(without_added(name)), name)
    return found


def called_now(name: str) -> str:
    """What a size is called now that had a name of no source; empty for another one.

    >>> called_now("i_trips_2"), called_now("s->att_elements"), called_now("n")
    ('iterations of i #2', 'elements of s->att', '')
    """
    old = _OLD.fullmatch(name.strip())
    if old is None:
        return ""
    return size_name(f"{PHRASES[old['of'] == 'elements']} {old['what']}{' #' + old['number'] if old['number'] else ''}")


def _expression(written: str) -> str:
    """An expression that can stand for a size: a name with what follows it, `(*p)` or `(q - p)`."""
    tokens: list[str] = []
    at = 0
    while at < len(written):
        found = _TOKENS.match(written, at)
        if found is None:
            return ""
        at = found.end()
        if not found[0].isspace():
            tokens.append(found[0])
    if not tokens or not _are_closed(tokens) or not _is_one_operand(tokens):
        return ""
    text = "".join(_spaced(tokens))
    return f"({text})" if text.startswith("*") or _outside(tokens, {"+", "-"}) else text


def _spaced(tokens: list[str]) -> list[str]:
    """Tokens with the blanks that a reader wants."""
    found: list[str] = []
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else ""
        is_between = before and (before[-1].isalnum() or before[-1] in "_)]")
        if token.startswith(","):
            found.append(", ")
        elif token in {"+", "-"} and is_between:
            found.append(f" {token} ")
        elif before and (before[-1].isalnum() or before[-1] == "_") and (token[0].isalnum() or token[0] == "_"):
            found.append(f" {token}")
        else:
            found.append(token)
    return found


def _are_closed(tokens: list[str]) -> bool:
    open_: list[str] = []
    for at, token in enumerate(tokens):
        if token in _CLOSING:
            open_.append(_CLOSING[token])
        elif token in _CLOSING.values() and (not open_ or open_.pop() != token or tokens[at - 1] == "["):
            return False
    return not open_


def _outside(tokens: list[str], wanted: set[str]) -> bool:
    """Whether one of the tokens is outside of brackets."""
    depth = 0
    for token in tokens:
        depth += (token in _CLOSING) - (token in _CLOSING.values())
        if depth == 0 and token in wanted:
            return True
    return False


def _is_one_operand(tokens: list[str]) -> bool:
    """Whether nothing outside of brackets is more than an operand with what follows it, or two that are taken apart."""
    plain: list[str] = []
    depth = 0
    for token in tokens:
        if token in _CLOSING and depth == 0:
            plain.append(token)
        depth += (token in _CLOSING) - (token in _CLOSING.values())
        if depth == 0 and token not in _CLOSING.values():
            plain.append(token)
    return bool(_OPERAND.fullmatch(" ".join(plain)))


_FOLLOWING = rf"(?: (?:\[|\(|(?:->|\.) {_WORD}))*"
_OPERAND = re.compile(rf"(?:\* )?{_WORD}{_FOLLOWING}(?: - {_WORD}{_FOLLOWING})?|\({_FOLLOWING}")
