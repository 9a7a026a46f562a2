"""Names of a nest as the user wrote them."""

from __future__ import annotations


def c_name(name: str) -> str:
    """A variable as the source has it: a nest calls its second `t` `t'2`, and what a call gave to `p` `p'`.

    >>> c_name("t'2"), c_name("t")
    ('t', 't')
    """
    return name.partition("'")[0]
