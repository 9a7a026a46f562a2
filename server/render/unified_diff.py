"""A fix as a unified diff, which `patch` and `git apply` take."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import unified_diff

_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_NO_END = "\\ No newline at end of file"
_NOTHING = "/dev/null"


def diff_text(before: str | None, after: str, old_name: str, new_name: str) -> str:
    r"""The diff of one file, empty for equal texts; `before` is None for a file that does not exist yet.

    Lines end at LF only and keep their CR, as for git.

    >>> print(diff_text("a\nb", "a\nc\n", "a/x.c", "b/x.c"), end="")
    --- a/x.c
    +++ b/x.c
    @@ -1,2 +1,2 @@
     a
    -b
    \ No newline at end of file
    +c
    """
    old = _NOTHING if before is None else old_name
    lines = unified_diff(_LINES.findall(before or ""), _LINES.findall(after), old, new_name)
    return "".join(_ended(lines))


def _ended(lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n{_NO_END}\n"
