"""Names of a call as its loop spells them: a nest's name leads through variables that C may need for their type.

After `struct state *s = sim->data;` a nest calls `s->x` what it is, `sim->data->x`. Where `data` is a `void *`, that
is no C.
"""

from __future__ import annotations

import re

from warplens.analysis.ir.memory_path import MemoryPath

_PATH = re.compile(r"\w+(?:(?:->|\.)\w+|\[\w*\])*")


def spelled_as_in_loop(name: str, before: str, loop: str) -> str:
    """`s->x` for `sim->data->x`, where the function says the one and not the other.

    `before` is the function's code in front of the loop, `loop` the loop's own.

    >>> spelled_as_in_loop("sim->data->x", "struct state *s = sim->data;", "for (;;) s->x[i] = 0;")
    's->x'
    >>> spelled_as_in_loop("sim->data->x", "struct state *s = sim->data;", "for (;;) sim->data->x[i] = s->x[i];")
    'sim->data->x'
    """
    path = MemoryPath.of(name) if _PATH.fullmatch(name) else MemoryPath(name)
    function = f"{before}{loop}"
    if not path.steps or _literal(path.base, *path.steps).search(function):
        return name
    for split in range(len(path.steps) - 1, -1, -1):
        rest = path.steps[split:]
        set_to = _literal(path.base, *path.steps[:split]).pattern
        for variable in dict.fromkeys(re.findall(rf"\b(\w+)\s*=\s*(?:\([^()]*\*\s*\)\s*)?{set_to}\s*[;,]", before)):
            if _literal(variable, *rest).search(function):
                return f"{variable}{''.join(rest)}"
    return name


def _literal(base: str, *steps: str) -> re.Pattern[str]:
    """The path as C text, however it is spaced, and not as a part of another one."""
    parts = [part for step in steps for part in re.findall(r"->|\.|\[|\]|[^-.\[\]]+", step)]
    return re.compile(rf"(?<![\w.>])\s*{base}" + "".join(rf"\s*{re.escape(part)}" for part in parts) + r"(?!\w)")
