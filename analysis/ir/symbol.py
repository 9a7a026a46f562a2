"""Names in a nest that the source does not have: the one place that makes them, and reads what they stand for.

A mark that no name of C contains, or, of `ʹ`, that nobody writes in one, tells them from the source's own:

- `t'2` is the second `t` of a nest, `n #2` the second variable `n` of a function that a nest finds set, `p'` memory
  that `p` leads to since some point of it, `p'at` and `for'n` numbers that are counted for a loop, `t'in7`
  what `t` holds while loop 7 runs; `bits'` and `vector'` are calls of operations that C has no function for;
- `kʹ2` is the `k` that only another file of the program has, where this one has something else by that name;
- `%floor(n, 2)` is computed from what it names, `%7` counts the iterations of loop 7;
- `*done` is a place in memory that a loop uses as a variable;
- `&a'` is an address that led to the object `a'`, `&a'[…]` one anywhere in it;
- `iterations of i` and `elements of x` are numbers that no expression of the source gives, in words, and `q->n #2` is
  the second of two that the source spells alike. Users see those, and say them.
"""

from __future__ import annotations

import re
from collections.abc import Container
from hashlib import sha256
from typing import Literal

from warplens.analysis.ir.ids import NodeId

SymbolKind = Literal["source", "added", "computed", "cell", "address", "phrase"]

ADDED_MARK = "'"
OTHER_FILE_MARK = "ʹ"
"""A letter, so that the name is one word of the text that is parsed."""
_COMPUTED = "%"
_CELL = "*"
_ADDRESS = "&"
_KINDS: dict[str, SymbolKind] = {_COMPUTED: "computed", _CELL: "cell", _ADDRESS: "address"}
_ANYWHERE = "[…]"
_LONGEST_NAME = 400
PHRASES = ("iterations of", "elements of")
"""What stands before a name of the source where that is asked of it."""
_PHRASE = re.compile(rf"(?:{'|'.join(PHRASES)}) ")
_AGAIN = r"(?<!of )(?<!->)(?<!\.)\b([^\W\d]\w*) #\d+"
ADDED = re.compile(rf"{_AGAIN}|(?:{ADDED_MARK}|{OTHER_FILE_MARK})\w*")
"""What is added to a name of the source; the first group is a variable before its number."""
_SECOND = re.compile(_AGAIN)
_MADE = re.compile(
    rf"\b(?:subscript|value|condition|choice|operand|memset|memcpy|memmove|mempcpy|bzero){ADDED_MARK}+\d*(?!\w)"
)
"""Variables that the front end makes for values, and loops that calls stand for: they come from no name."""
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_QUOTED = re.compile(r"`[^`]*`")

OUTERMOST_RUNS = f"{_COMPUTED}N"
"""How often the outermost of the loops runs whose iterations are summed."""


def kind_of(name: str) -> SymbolKind:
    """What a name stands for.

    "computed" is a number from what the name names, or a loop's counter, "cell" a place in memory, "address" an address
    in an object, "phrase" a number in words, "added" what else the source has no name for.

    >>> [kind_of(name) for name in ("t", "t'2", "%floor(t'2, 2)", "*p->done", "&p'", "elements of x")]
    ['source', 'added', 'computed', 'cell', 'address', 'phrase']
    """
    found = _KINDS.get(name[:1]) or ("added" if has_added(name) else "source")
    return "phrase" if found == "source" and _PHRASE.match(name) else found


def has_added(name: str) -> bool:
    """Whether it is an added name or one that is made from such a name."""
    return ADDED_MARK in name or OTHER_FILE_MARK in name or (" #" in name and _SECOND.search(name) is not None)


def added(name: str, what: str = "") -> str:
    """The name for `what` beside a name of the source.

    >>> added("p"), added("p", "at"), added("t", "2")
    ("p'", "p'at", "t'2")
    """
    return f"{name}{ADDED_MARK}{what}"


def of_other_file(name: str, ordinal: int) -> str:
    """The name for what only another file has by a name.

    >>> of_other_file("k", 2), without_added(added(of_other_file("k", 2), "3"))
    ('kʹ2', 'k')
    """
    return f"{name}{OTHER_FILE_MARK}{ordinal}"


def source_part(name: str) -> str:
    """The name of the source at the beginning of a name.

    >>> source_part("t'2"), source_part("p'->data"), source_part("t #2")
    ('t', 'p', 't')
    """
    return name.partition(ADDED_MARK)[0].partition(" #")[0].partition(OTHER_FILE_MARK)[0]


def computed(operation: str, *operands: object) -> str:
    """The name for what an operation gives; of a long one a digest, as names of what is computed from it hold it again.

    >>> computed("mod", "i", 4), len(computed("mod", "i" * 1000, 4))
    ('%mod(i, 4)', 69)
    """
    name = f"{_COMPUTED}{operation}({', '.join(map(str, operands))})"
    return name if len(name) <= _LONGEST_NAME else f"{_COMPUTED}{operation}#{sha256(name.encode()).hexdigest()}"


def counter_of(loop: NodeId) -> str:
    """The name for the number of a loop's iteration.

    >>> counter_of(NodeId(7))
    '%7'
    """
    return f"{_COMPUTED}{loop}"


def cell_of(place: str) -> str:
    """The name for a place in memory among those of variables."""
    return f"{_CELL}{place}"


def address_of(name: str, *, is_start: bool = True) -> str:
    """The name for an address in an object; `is_start` says that it is where the pointer leads that this is named for.

    >>> address_of("a'"), address_of("a'", is_start=False)
    ("&a'", "&a'[…]")
    """
    return f"{_ADDRESS}{name}{'' if is_start else _ANYWHERE}"


def object_of(name: str) -> str:
    """The object whose start an address is, empty for one anywhere in it and for another name.

    >>> object_of("&a'"), object_of("&a'[…]"), object_of("a")
    ("a'", '', '')
    """
    return name.removeprefix(_ADDRESS) if kind_of(name) == "address" and not name.endswith(_ANYWHERE) else ""


def told_address(name: str) -> str:
    """What the user is told of an address: the object whose start it is, an address anywhere in one as such."""
    return name if name.endswith("]") else name.removeprefix(_ADDRESS)


def without_address(name: str) -> str:
    """The name that the name for an address is made from, else the name itself."""
    return name.removeprefix(_ADDRESS)


def iterations_of(iterator: str, taken: Container[str] = ()) -> str:
    """The name for how often the loop over an iterator runs where data decides it, by the source's name.

    >>> iterations_of("i'2"), iterations_of("while'n"), iterations_of("i", {"iterations of i"})
    ('iterations of i', 'iterations of while', 'iterations of i #2')
    """
    return numbered(f"{PHRASES[0]} {source_part(iterator)}", taken)


def elements_of(array: str) -> str:
    """The name for how many elements an object has, by the way to it in the source.

    >>> elements_of("q'2->data"), elements_of("rows[].at")
    ('elements of q->data', 'elements of rows[].at')
    """
    return f"{PHRASES[1]} {without_added(array)}"


def _plain(added_: re.Match[str]) -> str:
    return added_[1] or ""


def without_added(name: str) -> str:
    """The name as the source has it.

    >>> without_added("t'2"), without_added("n #2 - 1"), without_added("q->n #2"), without_added("p'->data")
    ('t', 'n - 1', 'q->n #2', 'p->data')
    """
    return ADDED.sub(_plain, name)


def numbered(name: str, taken: Container[str]) -> str:
    """The name, with a number where others have it.

    >>> numbered("q->n", ()), numbered("q->n", {"q->n", "q->n #2"})
    ('q->n', 'q->n #3')
    """
    found, ordinal = name, 2
    while found in taken:
        found, ordinal = f"{name} #{ordinal}", ordinal + 1
    return found


def as_operand(name: str) -> str:
    """A name as it stands beside an operator: in brackets where blanks are in it.

    >>> as_operand("iterations of i"), as_operand("max(a, b)"), as_operand("q->n #2")
    ('(iterations of i)', 'max(a, b)', '(q->n #2)')
    """
    return f"({name})" if " " in name and _has_blanks(name) else name


def _has_blanks(name: str) -> bool:
    """Whether blanks are outside of all brackets."""
    while (shorter := _IN_BRACKETS.sub("", name)) != name:
        name = shorter
    return " " in name


def told(text: str) -> str:
    """C that names stand in, as the user is told it: what no name of the source says is left open.

    >>> told("a[(subscript' + i'2)]"), told("x[memset']"), told("t'2")
    ('a[(… + i)]', 'x[…]', 't')
    """
    return without_added(_MADE.sub("…", text))


def told_in_quotes(sentence: str) -> str:
    """A sentence with what it quotes as the user is told it.

    >>> told_in_quotes("what `t'2` holds isn't known")
    "what `t` holds isn't known"
    """
    return _QUOTED.sub(lambda quoted: told(quoted[0]), sentence)
