"""The names by which the text of a file may hang together with another one, read without its headers.

A first look, much cheaper than reading a file: which files of a folder may be in one program. It says rather too much
than too little.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

_NO_CODE = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'",
    re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)((?:\\\r?\n|[^\n])*)", re.MULTILINE)
_INCLUDED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*\"([^\"\n]+)\"", re.MULTILINE)
_PIECE = re.compile(r"\n\}|[A-Za-z_]\w*|[{}();=,\[]")
_AT_LINE_START = re.compile(r"^(?=[A-Za-z_])[^\n;{}=]*?\b([A-Za-z_]\w*)[ \t]*\((?![^\n]*;[ \t]*$)", re.MULTILINE)
_CALL = re.compile(r"([A-Za-z_]\w*)\s*\(")
_WORD = re.compile(r"[A-Za-z_]\w*")
_PASTED = re.compile(r"\w+(?=\s*##)|(?<=##)\w+|(?<=## )\w+")
_WORDS_BEFORE_BRACKETS = frozenset(("if", "for", "while", "switch", "return", "sizeof", "defined"))


@dataclass(frozen=True, slots=True)
class LinkedNames:
    """Names of one file's text.

    `owns` are functions, variables and macros that it defines, `may_define` functions and variables that it may define
    for others, `declares` what it has outside of functions, `calls` what stands before brackets, `says` all names in
    bodies and macros. `includes` are the last parts of the names of headers in quotes. `pastes` are macros that make
    names of others, `invokes` what stands before brackets outside of functions: those may define anything.
    """

    owns: frozenset[str]
    may_define: frozenset[str]
    declares: frozenset[str]
    calls: frozenset[str]
    says: frozenset[str]
    includes: frozenset[str]
    pastes: frozenset[tuple[str, str]]
    invokes: frozenset[str]

    def joined(self, other: LinkedNames) -> LinkedNames:
        """What two files say together: headers of one name."""
        return LinkedNames(*(getattr(self, each.name) | getattr(other, each.name) for each in fields(self)))


def linked_names(text: str) -> LinkedNames:
    r"""The names of a text, C or nearly so.

    >>> found = linked_names('#include "a.h"\nint n; static int m; int run(int k) { return walk(n); }')
    >>> sorted(found.owns), sorted(found.may_define), sorted(found.calls), sorted(found.includes)
    (['m', 'n', 'run'], ['n', 'run'], ['run', 'walk'], ['a.h'])
    """
    includes = frozenset(re.split(r"[/\\]", one)[-1] for one in _INCLUDED.findall(text))
    bare = _NO_CODE.sub(" ", text)
    macros = [rest for word, rest in _DIRECTIVE.findall(bare) if word == "define"]
    named = [(found[0], rest) for rest in macros if (found := _WORD.search(rest)) is not None]
    own_macros = {name for name, _ in named}
    code = _DIRECTIVE.sub("", bare)
    walk = _Walk()
    walk.run(code)
    calls = {name for part in (code, *macros) for name in _CALL.findall(part)} - _WORDS_BEFORE_BRACKETS
    said = walk.inside.union(*(_WORD.findall(rest) for rest in macros))
    may_define = walk.defines | set(_AT_LINE_START.findall(code)) - _WORDS_BEFORE_BRACKETS - walk.hidden
    return LinkedNames(
        frozenset(walk.defines | walk.hidden | own_macros),
        frozenset(may_define),
        frozenset(walk.outside),
        frozenset(calls),
        frozenset(said),
        includes,
        frozenset((name, part) for name, rest in named if "##" in rest for part in _pasted_parts(rest)),
        frozenset(walk.invoked),
    )


def _pasted_parts(macro: str) -> frozenset[str]:
    """What all names have that the text of a macro pastes, behind its own name and parameters: `run_` of `run_##n`."""
    parameters = frozenset(_WORD.findall(macro.partition(")")[0]))
    return frozenset(_PASTED.findall(macro)) - parameters or frozenset(("",))


class _Walk:
    """Goes through code by its brackets; a brace that begins a line ends whatever is open."""

    def __init__(self) -> None:
        self.defines: set[str] = set()
        self.hidden: set[str] = set()
        """Static functions and variables."""
        self.outside: set[str] = set()
        self.inside: set[str] = set()
        self.invoked: set[str] = set()
        self._braces = 0
        self._round = 0
        self._declaration: list[str] = []
        """Names of the declaration so far, outside of brackets."""
        self._called: list[str] = []
        """Names before its brackets: of a function, where a body follows."""
        self._is_set = False

    def run(self, code: str) -> None:
        last = ""
        for piece in _PIECE.findall(code):
            if piece == "\n}":
                self._braces = self._round = 0
                self._begin()
            elif piece == "{":
                self._open(last)
            elif piece == "}":
                self._braces = max(0, self._braces - 1)
                if not self._braces and not self._is_set:
                    self._begin()
            elif self._braces:
                if len(piece) > 1 or piece.isalpha() or piece == "_":
                    self.inside.add(piece)
            else:
                self._outside(piece, last)
            last = piece

    def _open(self, last: str) -> None:
        if self._braces or last == "extern":  # `extern "C" {`
            self._braces += bool(self._braces)
            return
        if self._called and not self._is_set:  # `int f(a) int a; {`, else what stood before a prototype was a macro
            self._define(self._called[0 if last == ";" else -1])
        self._braces, self._round = 1, 0

    def _outside(self, piece: str, last: str) -> None:
        if piece == "(":
            if not self._round and _WORD.fullmatch(last):
                self._called.append(last)
                self.invoked.add(last)
            self._round += 1
        elif piece == ")":
            self._round = max(0, self._round - 1)
        elif piece in {"=", ",", "[", ";"}:
            if not self._round:
                self._variable(piece, last)
        elif not self._round:
            self._declaration.append(piece)
            self.outside.add(piece)

    def _variable(self, piece: str, last: str) -> None:
        """A variable ends with what follows its name; a prototype has had its brackets."""
        is_name = _WORD.fullmatch(last) is not None and not self._is_set and not self._called
        if is_name and not {"extern", "typedef"} & set(self._declaration) and len(self._declaration) > 1:
            self._define(last)
        if piece == ";" and (not self._called or last == ")"):
            self._begin()
        else:
            self._is_set = piece == "=" or (self._is_set and piece != ",")

    def _define(self, name: str) -> None:
        (self.hidden if "static" in self._declaration else self.defines).add(name)

    def _begin(self) -> None:
        self._declaration, self._called, self._is_set = [], [], False
