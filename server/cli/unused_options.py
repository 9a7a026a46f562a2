"""Sizes of the command line that no loop depends on, and macros that are variables of the file."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from warplens.analysis.engine.unused_sizes import unused_size
from warplens.analysis.ir.size_name import by_size_key, size_key
from warplens.analysis.text.tokens import comments
from warplens.server.settings.folder_config import load_config, nearest_config
from warplens.server.worker.job import Answer
from warplens.server.worker.packing import unpack

_TOKEN = re.compile(r"[^\W\d]\w*|\S")
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
_NO_TYPES = frozenset({"return", "else", "case", "goto", "sizeof", "do", "break", "continue"})


class UnusedOptions:
    """`sizes` are names with values, `defines` definitions as behind `-D`; what of them does nothing is said."""

    def __init__(self, sizes: Sequence[tuple[str, int]], defines: Sequence[str]) -> None:
        self._sizes = tuple(dict.fromkeys(name for name, _ in sizes))
        self._defines = tuple(dict.fromkeys(defines))
        self._known: set[str] = set()
        self._is_complete = True

    def note(self, answer: Answer | None) -> None:
        """Take in what the loops of a file depend on."""
        if self._sizes:
            self._known |= {name for _, name in sizes_of(answer)} if answer is not None else set()
            self._is_complete &= answer is not None and all(n.packed for f in answer.functions for n in f.nests)

    def without_effect(self) -> Iterator[str]:
        """A message for each size that is in no loop; none where a loop was not understood, which may have it."""
        keys = by_size_key(self._known)
        for name in self._sizes if self._is_complete else ():
            if size_key(name) not in keys:
                yield unused_size(name, self._known, "--size", "what was analysed")

    def misread(self, text: str) -> Iterator[str]:
        """A message for each macro that a file declares as a variable and asks nothing of: a size was meant."""
        for define in self._defines:
            name, _, value = define.partition("=")
            if value.strip().isdecimal() and declares(text, name):
                yield f"`-D {define}` defines the macro `{name}`; for the size say `--size {define}`"


def sizes_of(answer: Answer) -> Iterator[tuple[str, str]]:
    """Functions and the sizes that their loops depend on, or that such sizes follow from."""
    yield from answer.said_sizes
    for function in answer.functions:
        for nest in function.nests:
            if nest.packed:
                yield from ((function.name, name) for name in unpack(nest.packed).facts.parameters)


def declares(text: str, name: str) -> bool:
    r"""Whether a file declares a variable of that name, and no directive of it speaks of it.

    >>> declares("void f(int n, double *a);", "n"), declares("int m, n;", "n"), declares("double a[N];", "N")
    (True, True, False)
    >>> declares("#ifndef n\n#define n 4\n#endif\nint n;", "n"), declares("int f(void) { return n; }", "n")
    (False, False)
    """
    if name not in text:
        return False
    for offset, comment in reversed([*comments(text)]):
        text = f"{text[:offset]} {text[offset + len(comment) :]}"
    if any(name in _TOKEN.findall(line) for line in _DIRECTIVE.findall(text)):
        return False
    tokens = _TOKEN.findall(_DIRECTIVE.sub("", text))
    return any(token == name and _is_declared(tokens, at) for at, token in enumerate(tokens))


def _is_declared(tokens: Sequence[str], at: int) -> bool:
    before = tokens[at - 1] if at else ""
    if _is_type(before) and tokens[at + 1 : at + 2] and tokens[at + 1] in {",", ";", "=", ")"}:
        return True
    first = at
    while before == "," and first and tokens[first - 1] not in {";", "{", "}", "("}:
        first -= 1
    return first < at and _is_type(tokens[first]) and _is_type(tokens[first + 1])


def _is_type(token: str) -> bool:
    return token.isidentifier() and token not in _NO_TYPES


class FolderSizes:
    """Sizes in the `.warplens.toml` of folders that are analysed as a whole: elsewhere another file may need them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._folders = tuple(Path(os.path.normpath(Path.cwd() / name)) for name in names if Path(name).is_dir())
        self._known: dict[Path, set[tuple[str, str]]] = {}
        self._unclear: set[Path] = set()

    def note(self, path: str, answer: Answer | None) -> None:
        """Take in what the loops of a file depend on."""
        file = Path(os.path.normpath(Path.cwd() / path))
        around = next((folder for folder in self._folders if file.is_relative_to(folder)), None)
        config = nearest_config(file.parent, (around,)) if around is not None else None
        if config is None:
            return
        known = self._known.setdefault(config, set())
        if answer is None or not all(nest.packed for f in answer.functions for nest in f.nests):
            self._unclear.add(config)
        else:
            known.update(sizes_of(answer))

    def without_effect(self) -> Iterator[str]:
        """A message for each size of a file that is in no loop it is about."""
        for config in (one for one in self._known if one not in self._unclear):
            choices = load_config(config)[0].sizes
            for message in unused_in_folder([(one.function, one.name) for one in choices], self._known[config]):
                yield f"{config}: {message}"


def unused_in_folder(chosen: Collection[tuple[str, str]], known: Collection[tuple[str, str]]) -> Iterator[str]:
    """Messages for sizes of a folder's file, each with the function it is for or "", that no loop depends on."""
    names = {name for _, name in known}
    every = by_size_key(names)
    for function, name in chosen:
        own = by_size_key({one for of, one in known if of == function}) if function else every
        if size_key(name) not in own and (not function or size_key(f"{function}.{name}") not in every):
            said = f"[sizes.{function}] {name}" if function else f"[sizes] {name}"
            where = f"`{function}`" if function else "the folder"
            yield unused_size(name, set(own.values()) or names, f"`{said}`", where)
