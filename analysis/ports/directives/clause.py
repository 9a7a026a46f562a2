"""Clauses of a directive, wanted or read from a source."""

from __future__ import annotations

from dataclasses import dataclass, replace

from warplens.analysis.text.span import Span

_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Clause:
    """`map(to: a, b)`: the name, what stands before the colon, and the items; `nowait` has neither.

    `span` is where one that was read stands (name and parentheses), `inner` what the parentheses hold.
    """

    name: str
    modifier: str = ""
    items: tuple[str, ...] = ()
    span: Span = _NOWHERE
    inner: Span = _NOWHERE

    @property
    def text(self) -> str:
        """The clause in one line."""
        return f"{self.name}({self.argument})" if self.items or self.modifier else self.name

    @property
    def argument(self) -> str:
        """What the parentheses hold."""
        items = ", ".join(self.items)
        return f"{self.modifier}: {items}" if self.modifier else items


def base_name(item: str) -> str:
    """Variable that an item names: `a` of `a[0:n]`.

    >>> base_name("a [0:n]"), base_name("*p")
    ('a', '*p')
    """
    return item.partition("[")[0].strip()


def with_condition(found: Clause, condition: str) -> str:
    """What the parentheses of an `if` hold once the condition has to hold too.

    >>> with_condition(Clause("if", items=("n > 9",)), "n > 1"), with_condition(Clause("if", items=("n > 1",)), "n > 1")
    ('(n > 9) && n > 1', 'n > 1')
    """
    said = ", ".join(found.items)
    both = said if said == condition or said.endswith(f") && {condition}") else f"({said}) && {condition}"
    return replace(found, items=(both,)).argument
