"""Loops cut into chunks by random formulas compute the same in any order where they are called parallel.

Ends and starts are those of right chunkings, most with something changed: a bound one further, another case, another
factor. So there are many near misses, and enough that are right.
"""

from __future__ import annotations

import random
from pathlib import Path

from support.examples import is_nightly
from support.iteration_order.any_order import any_order
from support.iteration_order.run import run

CHUNKS = 240 if is_nightly() else 120
_HEADS = (
    ("", "j * size + (j < rest ? j : rest)", "(j + 1) * size + (j + 1 < rest ? j + 1 : rest)"),
    ("", "j * n / t", "(j + 1) * n / t"),
    ("", "j * size", "((j + 1) * size < n ? (j + 1) * size : n)"),
    ("", "j * size + rest", "j * size + size + rest"),
    ("", "(j * size > rest ? j * size : rest)", "(j + 1) * size"),
    (
        "from = j * size + rest; to = (j + 1) * size + rest; if (j < rest) { from += j - rest; to += j + 1 - rest; }",
        "from",
        "to",
    ),
    ("from = j * size; to = from + size; if (to > n) to = n;", "from", "to"),
)  # fmt: skip
_CHANGES = (("<", "<="), ("<", ">"), (">", "<"), ("j + 1", "j + 2"), ("j + 1", "j"), ("rest", "n"), ("+ 1", "- 1"))
_BODIES = (
    "if (i >= 0 && i < 2000 && x[i] > 0) x[i] = j + 1;",
    "if (i >= 0 && i < 2000 && x[i] > 0) x[i] = x[i + {k}] + j;",
    "if (i >= 0 && i < 2000 && x[i] > 0) x[2 * i + {k}] = x[2 * i] + j;",
    "if (i >= 0 && i < 2000 && x[i + {k}] != 0) y[i + {k}] = j;",
)


def chunked(number: int) -> str:
    """A function that walks an array in chunks."""
    draw = random.Random(number)
    before, start, end = draw.choice(_HEADS)
    for _ in range(draw.choice((0, 0, 1, 1, 2))):
        old, new = draw.choice(_CHANGES)
        which = draw.randrange(3)
        parts = [before, start, end]
        parts[which] = parts[which].replace(old, new, 1)
        before, start, end = parts
    relation = draw.choice(("<", "<", "<", "<="))
    body = draw.choice(_BODIES).replace("{k}", str(draw.choice((0, 0, 1))))
    head = draw.choice(("int j = 0; j < t; j++", "int j = t - 1; j >= 0; j--", "int j = 0; j < t; j += 2"))
    return f"""void f{number}(int n, int t, int *x, int *y) {{
  int size = n / t, rest = n - size * t;
  for ({head}) {{  // loop: unknown
    int from = 0, to = 0;
    {before}
    for (int i = {start}; i {relation} {end}; i++)  // loop: unknown
      {body}
  }}
}}
"""


def test_no_chunks_called_apart_meet(tmp_path: Path) -> None:
    source = "\n".join(map(chunked, range(CHUNKS)))
    changed = any_order(source, frozenset(("bounds", "alias")))
    lines = source.splitlines()
    outer = [loop for loop in changed.loops if " j = " in lines[loop.line - 1]]
    assert CHUNKS // 10 < len(outer) < CHUNKS // 2
    print(f"{len(outer)} of {CHUNKS} loops over chunks are called parallel")
    outcome = run(changed, tmp_path)
    assert len(outcome.idle) < len(changed.loops) // 2
    assert not outcome.differs, "\n".join(line for at in outcome.differs for line in lines[at - 3 : at + 6])
