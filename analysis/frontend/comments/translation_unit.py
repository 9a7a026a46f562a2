"""What the front end hands on: functions with their lowered nests, and everything it could not understand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from warplens.analysis.frontend.declarations.companions import DefinedElsewhere
from warplens.analysis.frontend.effects.call_sites import CallSite, PointerSetting
from warplens.analysis.ir.ids import LoopId, NodeId
from warplens.analysis.ir.nest import LoopNest, NestSpans
from warplens.analysis.text.macro_definitions import MacroDefinition
from warplens.analysis.text.span import Span


@dataclass(frozen=True, slots=True)
class Opaque:
    """A declaration or loop that was not understood: why, in the source's terms, and where in the user's file.

    `is_shown`: whether it is a message beside the code; it counts in any case.
    """

    reason: str
    span: Span
    function: str = ""
    is_shown: bool = True


@dataclass(frozen=True, slots=True)
class Problem:
    """A note about the input itself: a missing include, a NUL byte, loops lost by the parse."""

    message: str
    span: Span
    severity: Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class SizeDirective:
    """`// warplens: n = 4096`: the user's value of a parameter, for the function or nest it stands in or above."""

    name: str
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class MacroUse:
    """A macro in a nest and where it was defined: the nodes that its expansion gave, the loops whose headers name it.

    A loop whose header is the macro's use is `written` in it and does not count as naming it.
    """

    definition: MacroDefinition
    written: tuple[NodeId, ...] = ()
    named_by: tuple[NodeId, ...] = ()


@dataclass(frozen=True, slots=True)
class LoweredNest:
    """A nest, where it stands, and its name. `macros` are those whose definitions are known, in order of their use."""

    id: LoopId
    nest: LoopNest
    spans: NestSpans
    macros: tuple[MacroUse, ...] = ()


@dataclass(frozen=True, slots=True)
class LoweredFunction:
    """A function definition of the user's file. `span` is the whole definition.

    `calls` are those of functions of the same file, and those through pointers.
    `unchanged` are the parameters that hold what the call passed wherever they are named, `settings` what it sets
    pointers of the file to.
    """

    name: str
    span: Span
    nests: tuple[LoweredNest, ...]
    opaque: tuple[Opaque, ...]
    parameters: tuple[str, ...] = ()
    calls: tuple[CallSite, ...] = ()
    is_static: bool = False
    unchanged: frozenset[str] = frozenset()
    settings: tuple[PointerSetting, ...] = ()


@dataclass(frozen=True, slots=True)
class TranslationUnit:
    """The front end's whole answer for one file.

    `loops_in_text` counts `for`/`while`/`do` loops by keyword in the user's preprocessed text, `loops_found` those in
    the trees; a difference is also a Problem. `declarations_parsed` counts those parsed anew (not from the memo).
    `handed_out` are functions that the file names elsewhere than where it calls them. `elsewhere` are those of other
    files of the program that were looked into, by name.
    """

    functions: tuple[LoweredFunction, ...]
    opaque: tuple[Opaque, ...]
    problems: tuple[Problem, ...]
    directives: tuple[SizeDirective, ...]
    loops_in_text: int
    loops_found: int
    declarations_parsed: int = 0
    handed_out: frozenset[str] = frozenset()
    elsewhere: Mapping[str, DefinedElsewhere] = field(default_factory=dict)
