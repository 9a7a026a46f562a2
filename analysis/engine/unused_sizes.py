"""What is said of a size that no loop depends on: what it may have meant, and what it is called now."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from warplens.analysis.ir.size_name import called_now, size_key

_ALIKE = 0.6
_MOST = 3
_LONGEST = 60
"""Of a name that is wrong: longer ones are no near miss of anything."""


def unused_size(name: str, known: Collection[str], who: str, where: str = "this file") -> str:
    """A message for a name that is in no parameter of `where`; `who` said it, `known` are the names there.

    >>> unused_size("nn", ["n", "m"], "this comment")
    'no loop of this file depends on a size `nn`: this comment has no effect; near it are `n`'
    >>> unused_size("i_trips", ["iterations of i"], "this comment")
    '`i_trips` is now called `iterations of i`: this comment has no effect'
    """
    now = called_now(name)
    if now and size_key(now) in {size_key(one) for one in known}:
        return f"`{_cut(name)}` is now called `{now}`: {who} has no effect"
    near = nearest_sizes(name, known)
    listed = ", ".join(f"`{one}`" for one in near or sorted(known)[:_MOST])
    more = f" and {len(known) - _MOST} more" if not near and len(known) > _MOST else ""
    end = f"; {'near it are' if near else 'there are'} {listed}{more}" if listed else ""
    return f"no loop of {where} depends on a size `{_cut(name)}`: {who} has no effect{end}"


def nearest_sizes(name: str, known: Collection[str]) -> tuple[str, ...]:
    """The names that are most like one, the best first, at most three.

    >>> nearest_sizes("p->nlayers", ["p->n_layers", "n", "iterations of i"])
    ('p->n_layers',)
    """
    if len(name) > _LONGEST:
        return ()
    by_fold = {one.casefold(): one for one in sorted(known)}
    return tuple(by_fold[one] for one in get_close_matches(name.casefold(), by_fold, _MOST, _ALIKE))


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..."
