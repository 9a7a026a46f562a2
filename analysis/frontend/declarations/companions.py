"""What other files of the program add to what a file declares: the functions that it calls, with what those need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from warplens.analysis.frontend.declarations.declarations import Declaration


@dataclass(frozen=True, slots=True)
class DefinedElsewhere:
    """A function of the program that another file defines: `path` is that file's, `line` the 1-based one of its name.

    It is looked up after the memo, as the definition of a macro is: an edit above a function redoes nothing.
    """

    function: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Companions:
    """`declarations` join those of the file; `places` are those of the functions among them, by name.

    `unseen` says of other functions that the file calls, as a predicate, why the program does not tell what they do:
    "is defined in a.c and in b.c".
    """

    declarations: tuple[Declaration, ...] = ()
    places: Mapping[str, DefinedElsewhere] = field(default_factory=dict)
    unseen: Mapping[str, str] = field(default_factory=dict)
