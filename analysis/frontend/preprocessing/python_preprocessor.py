"""Preprocessing without a compiler (pcpp behind an injected `read`), markers in gcc's format."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pcpp.preprocessor import Action, OutputDirective, Preprocessor
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.frontend.preprocessing.stub_headers import STUB_HEADERS
from warplens.analysis.text.line_markers import without_line_directives
from warplens.analysis.text.macro_definitions import MacroDirective, words

_STUBS = "/<standard headers>"
_MOST_OPENINGS_OF_A_FILE = 40
_MOST_OPENINGS = 2000
_MOST_TOKENS_OF_A_USE = 200_000
"""Of all macros within one use of a macro: each may name another twice."""
_PREDEFINED = (
    "__STDC__ 1", "__STDC_VERSION__ 201112L", "__x86_64__ 1", "__LP64__ 1", "__linux__ 1", "__unix__ 1",
    "__CHAR_BIT__ 8", "__SIZEOF_INT__ 4", "__SIZEOF_LONG__ 8", "__SIZEOF_POINTER__ 8",
)  # fmt: skip

_ELIFDEF = re.compile(r"^([ \t]*#[ \t]*)elif(n?)def\b[ \t]*([^\W\d]\w*)", re.MULTILINE)
_HAS_INCLUDE = re.compile(r"__has_include\s*\(\s*[<\"]([^>\"\n]+)[>\"]\s*\)")

Read = Callable[[str], str | None]
Find = Callable[[str], str | None]


def preprocess_in_python(
    path: str,
    text: str,
    read: Read,
    include_dirs: Sequence[str],
    defines: Iterable[str],
    find: Find = lambda _header: None,
) -> Preprocessed:
    """Preprocess `text`, the content of the file `path` (absolute).

    `read` gives the text of a file by absolute path, None when there is none; nothing else is read. `defines` are
    written as for a compiler: `N=100` or `DEBUG`. `find` is asked for the folder of a header that these folders do not
    lead to, None where it knows none. Standard headers that `read` does not know are minimal stubs.

    Not modelled: the compiler's own macros beyond a few, `#include_next`. Never raises: what goes wrong is a note.
    """
    preprocessor = _Preprocessor(read, include_dirs, find, words(text))
    for definition in _PREDEFINED:
        preprocessor.define(definition)
        preprocessor.note_macro(definition.partition(" ")[0], "<built-in>")
    for definition in defines:
        name, _, value = definition.partition("=")
        preprocessor.define(f"{name} {value if '=' in definition else '1'}")
        preprocessor.note_macro(name.partition("(")[0], "<command-line>")
    output = io.StringIO()
    try:
        preprocessor.parse(preprocessor.as_c11(without_line_directives(text)), path)
        preprocessor.write(output)
    except (
        RecursionError,
        OutputDirective,
        AssertionError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        # pcpp trips over some broken input with other errors than its own
        preprocessor.notes.append((0, f"preprocessing stopped early: {str(error)[:80] or type(error).__name__}"))
    main_path = preprocessor.include_times[0].included_abspath if preprocessor.include_times else path
    read_files = dict.fromkeys(each.included_abspath for each in preprocessor.include_times[1:])
    return Preprocessed(
        output.getvalue(), main_path, tuple(preprocessor.notes), "built-in preprocessor",
        tuple(preprocessor.directives), tuple(dict.fromkeys(preprocessor.missing)),
        tuple(each for each in read_files if not each.startswith(_STUBS)),
    )  # fmt: skip


class _TooManyTokensError(Exception):
    """A use of `macro` does not end within the limit."""

    def __init__(self, macro: str) -> None:
        super().__init__(macro)
        self.macro = macro


class _Preprocessor(Preprocessor):  # type: ignore[misc]  # pcpp has no types
    def __init__(self, read: Read, include_dirs: Sequence[str], find: Find, names: frozenset[str]) -> None:
        self.directives: list[MacroDirective] = []
        self._names = names
        super().__init__()
        self.line_directive = "#"
        self.rewrite_paths: list[tuple[str, str]] = []
        self.notes: list[tuple[int, str]] = []
        self.missing: list[str] = []
        self._read = read
        self._find = find
        self._found: set[str] = set()
        self._openings: dict[str, int] = {}
        for directory in include_dirs:
            self.path.append(directory)

    def as_c11(self, text: str) -> str:
        """The text with C23's `#elifdef` and `__has_include` as the preprocessor at hand knows them."""
        if "elif" in text:
            text = _ELIFDEF.sub(lambda m: f"{m[1]}elif {'!' * bool(m[2])}defined({m[3]})", text)
        if "__has_include" in text:
            text = _HAS_INCLUDE.sub(lambda m: str(int(self._is_known(m[1]))), text)
        return text

    def _is_known(self, header: str) -> bool:
        return header in STUB_HEADERS or any(self._read(f"{folder}/{header}") is not None for folder in self.path)

    def _line_in_main(self, fallback: int) -> int:
        """Line of the user's file that is being processed: of the outermost include when inside of a header."""
        return fallback if self.include_depth <= 1 else 0

    def on_error(self, file: str, line: int, msg: str) -> None:
        _ = file
        self.notes.append((self._line_in_main(line), msg))

    def on_file_open(self, is_system_include: bool, includepath: str) -> io.StringIO:
        _ = is_system_include
        if includepath.startswith(_STUBS):
            text = STUB_HEADERS.get(includepath[len(_STUBS) + 1 :])
        else:
            text = self._read(includepath)
        if text is None:
            raise FileNotFoundError(includepath)
        count = self._openings[includepath] = self._openings.get(includepath, 0) + 1
        if count > _MOST_OPENINGS_OF_A_FILE or sum(self._openings.values()) > _MOST_OPENINGS:
            note = (0, f"`{includepath.rpartition('/')[2]}` includes itself without end, the rest of it is left out")
            if note not in self.notes:
                self.notes.append(note)
            return io.StringIO("")
        return io.StringIO(self.as_c11(text))

    def on_include_not_found(
        self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str
    ) -> str | None:
        _ = is_system_include, curdir
        if not is_malformed and includepath in STUB_HEADERS:
            return _STUBS
        folder = None if is_malformed or includepath in self._found else self._find(includepath)
        if folder is not None:
            self._found.add(includepath)  # asked for once: what it leads to may not be readable
            self.add_path(folder)
            return folder
        what = "a malformed #include" if is_malformed else f"`{includepath}` is not found"
        if not is_malformed:
            self.missing.append(includepath)
        self.notes.append((self._line_in_main(self._directive_line), what))
        raise OutputDirective(Action.IgnoreAndRemove)

    def define(self, tokens: Any) -> None:
        """Called for lines of files, with their tokens, and for definitions in words."""
        super().define(tokens)
        self._note_line(tokens, is_definition=True)

    def expand_macros(self, tokens: list[Any], expanding_from: Sequence[str] = ()) -> list[Any]:
        """The tokens with their macros' values; a macro that stands for too many tokens stays as it is."""
        outer = list(expanding_from)
        if self._expansions:
            return self._expanded(tokens, outer)
        while True:
            try:
                return self._expanded(list(tokens), outer)
            except _TooManyTokensError as error:
                note = f"`{error.macro}` stands for more than {_MOST_TOKENS_OF_A_USE} tokens: left as it is"
                self.notes.append((self._line_in_main(self.linemacro), note))
                self.linemacrodepth = 0
                del self.macros[error.macro]

    def _expanded(self, tokens: list[Any], outer: list[str]) -> list[Any]:
        if self._expansions == 1:
            self._tokens = 0
        self._expansions += 1
        try:
            found: list[Any] = super().expand_macros(tokens, outer)
        finally:
            self._expansions -= 1
        self._tokens += len(found)
        if outer and self._tokens > _MOST_TOKENS_OF_A_USE:
            raise _TooManyTokensError(outer[0])
        return found

    def undef(self, tokens: Any) -> None:
        super().undef(tokens)
        self._note_line(tokens, is_definition=False)

    def _note_line(self, tokens: Any, *, is_definition: bool) -> None:
        if isinstance(tokens, str) or not tokens:
            return
        name = tokens[0]
        file = str(getattr(name, "source", ""))
        if file.startswith(_STUBS):
            self.note_macro(name.value, f"<{file[len(_STUBS) + 1 :]}>", 0, is_definition=is_definition)
        else:
            self.note_macro(name.value, file, name.lineno, is_definition=is_definition)

    def note_macro(self, name: str, file: str, line: int = 0, *, is_definition: bool = True) -> None:
        """Remember where a macro that the user's file names was defined."""
        if name in self._names:
            self.directives.append(MacroDirective(name, self._main_line, file, line, is_definition))

    def on_directive_handle(self, directive: object, toks: object, ifpassthru: bool, precedingtoks: object) -> object:
        self._directive_line = getattr(directive, "lineno", 0)
        if self.include_depth <= 1:
            self._main_line = self._directive_line
        return super().on_directive_handle(directive, toks, ifpassthru, precedingtoks)

    def on_directive_unknown(
        self, directive: object, toks: Sequence[object], ifpassthru: bool, precedingtoks: object
    ) -> bool | None:
        _ = ifpassthru, precedingtoks
        name = getattr(directive, "value", "")
        if name in {"error", "warning"}:
            said = "".join(str(getattr(token, "value", "")) for token in toks).strip()
            self.notes.append((self._line_in_main(getattr(directive, "lineno", 0)), f"#{name} {said}"))
            return True
        return None

    _directive_line = 0
    _main_line = 0
    _expansions = 0
    """Of tokens, one in another."""
    _tokens = 0
    """That the use of a macro in the text has come to so far."""
