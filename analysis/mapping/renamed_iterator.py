"""Statements in which an iterator has another name: they stand in another loop, which counts the same."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rename_scalar import rename_scalar
from warplens.analysis.ir.rewrite_accesses import rewrite_body


def with_iterator(body: tuple[Statement, ...], name: str, new: str) -> tuple[Statement, ...]:
    """The statements, none of them a loop, with `new` wherever they use `name`, in subscripts too."""
    if name == new:
        return body
    values = {name: Polynomial.symbol(new)}

    def change(access: Access) -> Access:
        indices = tuple(None if index is None else index.substitute(values) for index in access.indices)
        return replace(access, indices=indices, text="")

    return rewrite_body(rename_scalar(body, name, new), change)
