"""Every kind of promise, and how a part of a comment is read as one of them."""

from __future__ import annotations

from warplens.analysis.ir.promises.acyclic import Acyclic
from warplens.analysis.ir.promises.agreeing import Agreeing
from warplens.analysis.ir.promises.increasing import Increasing
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.injective import Injective
from warplens.analysis.ir.promises.kept import Kept
from warplens.analysis.ir.promises.named import ElementPromise, TablePromise
from warplens.analysis.ir.promises.ordinary import Ordinary
from warplens.analysis.ir.promises.private import Private
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.separate import Separate
from warplens.analysis.ir.promises.size_holds import SizeHolds
from warplens.analysis.ir.promises.uncalled import Uncalled
from warplens.analysis.ir.promises.unordered import Unordered
from warplens.analysis.ir.promises.unshared import Unshared

TABLE_KINDS: tuple[type[TablePromise], ...] = (Injective, Increasing)
ELEMENT_KINDS: tuple[type[ElementPromise], ...] = (Unshared, Agreeing, Acyclic)

KINDS: tuple[type[Promise], ...] = (
    Independent, Kept, *TABLE_KINDS, *ELEMENT_KINDS, Private, Separate, Unordered, Uncalled, Ordinary, SizeHolds,
)  # fmt: skip
"""In the order in which the user is told what they mean."""


def read_promise(text: str) -> Promise | None:
    """The promise that one part of a comment makes; None where it makes none.

    >>> read_promise("idx is a permutation"), read_promise("idx has repeats")
    (Injective(loop=None, name='idx'), None)
    """
    return next((promise for kind in KINDS if (promise := kind.read(text)) is not None), None)
