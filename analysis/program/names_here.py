"""What the names of the file that is analysed mean, and how its functions say them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from warplens.analysis.frontend.declarations.declarations import Declaration, DeclarationIndex
from warplens.analysis.frontend.declarations.function_text import FunctionText
from warplens.analysis.frontend.syntax.memo import Memo
from warplens.analysis.program.file_definitions import FileDefinitions, is_static, words_but_members
from warplens.analysis.program.hidden_names import is_of_its_own
from warplens.analysis.program.kind_of_name import NameKind, kind_of_name

How = Literal["at all", "not called", "of the file"]
"""Ways to have a name: whatever for; otherwise than as a variable of the function; so, and before no bracket."""
Said = tuple[str, How]


@dataclass(frozen=True, slots=True)
class Met:
    """A declaration of a name that is in force. `file` is the one it is from, None for the one that is analysed."""

    declaration: Declaration
    kind: NameKind
    is_shared: bool
    file: FileDefinitions | None = None


class NamesHere:
    """What the names of the file that is analysed mean; `functions` are those that it has, `words` in their bodies.

    `asked` notes the names of which it was asked whether bodies say them so, with the answers.
    """

    def __init__(
        self, index: DeclarationIndex, functions: Sequence[FunctionText], words: frozenset[str], memo: Memo
    ) -> None:
        self.index = index
        self._words = words
        self.memo = memo
        self._functions = functions
        self.asked: dict[Said, bool] = {}

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The file's own declarations, functions without their bodies: all that answers here depend on beside words."""
        return tuple(one.text for one in self.index.own)

    def is_said(self, name: str, how: How) -> bool:
        """Whether the body of a function of the file has the word, but as a member's, in that way."""
        key = (name, how)
        if key not in self.asked:
            having = (one for one in self._functions if name in self._words and name in one.in_body)
            if how == "not called":
                self.asked[key] = any(name in one.plain and not self._is_own(one, name) for one in having)
            else:
                said = (one for one in having if name in self._words_of(one.text))
                self.asked[key] = any(how == "at all" or not self._is_own(one, name) for one in said)
        return self.asked[key]

    def _is_own(self, function: FunctionText, name: str) -> bool:
        text, body = function.text, function.body
        return self.memo.get("hidden name", (text, name), lambda: is_of_its_own(text, body, name))

    def _words_of(self, text: str) -> frozenset[str]:
        return self.memo.get("words", text, lambda: words_but_members(text))

    def met(self, name: str) -> Iterator[Met]:
        """Declarations of the name."""
        for one in self.index.declarations_of(name):
            yield Met(one, kind_of_name(one, name), not is_static(one))
