"""Names of a nest as the user wrote them."""

from __future__ import annotations

import re

from warplens.analysis.ir.symbol import ADDED_MARK, without_added

NAME_IN_COMMENT = r"[^\W\d]\w*(?:\[\])*(?:(?:->|\.)\w+(?:\[\])*)*"
"""Regular expression of a name that a comment can state: `t`, `p->data`, `rows[].at[]`."""

_NUMBER = re.compile(rf"(?:{ADDED_MARK}| #)\d+\Z")


def stated_name(name: str) -> str:
    """A variable by the name that a comment at its loop can use: of several `t` in a nest the one that is seen there.

    >>> stated_name("t'2"), stated_name("p'")
    ('t', "p'")
    """
    return _NUMBER.sub("", name)


def c_name(name: str) -> str:
    """A variable or a member as the source has it: a nest calls its second `t` `t'2`, and what a call gave to `p` `p'`.

    >>> c_name("t'2"), c_name("t"), c_name("p'->data")
    ('t', 't', 'p->data')
    """
    return without_added(name)
