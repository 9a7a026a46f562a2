"""Names of a nest as the user wrote them."""

from __future__ import annotations

import re

_ADDED = re.compile(r"'\w*")


def c_name(name: str) -> str:
    """A variable or a member as the source has it: a nest calls its second `t` `t'2`, and what a call gave to `p` `p'`.

    >>> c_name("t'2"), c_name("t"), c_name("p'->data")
    ('t', 't', 'p->data')
    """
    return _ADDED.sub("", name)
