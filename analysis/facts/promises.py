"""What is said of the arrays of subscripts of a nest, and promises as what a verdict takes for granted."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.nest import LoopNest, walk_statements
from warplens.analysis.ir.promises.named import TablePromise
from warplens.analysis.ir.promises.promise import Promise


def by_array(promises: Iterable[Promise]) -> dict[str, frozenset[type[TablePromise]]]:
    """What is said of each array of subscripts."""
    found: dict[str, frozenset[type[TablePromise]]] = {}
    for promise in promises:
        if isinstance(promise, TablePromise):
            found[promise.name] = found.get(promise.name, frozenset()) | {type(promise)}
    return found


def known_tables(nest: LoopNest) -> tuple[TablePromise, ...]:
    """What the initialisers of constant tables say of their values, unless one is read as another type."""
    tables = {array.name: array for array in nest.arrays if array.holds}
    if not tables:
        return ()
    for statement in walk_statements((nest.root,)):
        for access in accesses_of(statement):
            if access.array in tables and (access.type != tables[access.array].element or len(access.indices) != 1):
                del tables[access.array]
    return tuple(kind(array.name) for array in tables.values() for kind in array.holds)


def table_reason(table: TablePromise) -> str:
    """Why something is known of a constant table.

    >>> from warplens.analysis.ir.promises.injective import Injective
    >>> table_reason(Injective("perm"))
    '`perm` holds no value twice: its initialiser'
    """
    return f"{table.words.clause_about(f'`{table.name}`', 1)}: its initialiser"


def promise_assumption(promise: Promise, called: Collection[str] = ()) -> Assumption:
    """What the user said, as a verdict shows it; `called` are functions whose code is not in the file."""
    sentence = promise.wording(called).sentence.format(promise.subject)
    return Assumption("promise", promise.subject, sentence, origin="directive", promise=promise)
