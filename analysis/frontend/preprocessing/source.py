"""The front end's input: the user's text and what preprocessing made of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from warplens.analysis.text.macro_definitions import MacroDirective


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """Output of a preprocessor with line markers (`# 12 "file.c" 2`), whoever ran it.

    `main_path` is the name by which markers call the user's file. `notes` are messages for the user, each with the
    1-based line of the user's file it belongs to (missing include, `#error`), or 0. `macros` are the directives about
    the macros that the user's file names, in the order of the preprocessor; they are no part of `text`.
    `missing` are the headers that were not read, as the text includes them.
    `included` are the absolute paths of the files that were read for it, which decide nothing beside `text`.
    """

    text: str
    main_path: str
    notes: tuple[tuple[int, str], ...] = ()
    preprocessor: str = ""
    macros: tuple[MacroDirective, ...] = ()
    missing: tuple[str, ...] = ()
    included: tuple[str, ...] = field(default=(), compare=False)
