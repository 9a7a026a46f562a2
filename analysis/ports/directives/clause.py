"""What items of clauses name, and conditions that clauses get."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.text.directive_text import Clause


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
