"""Edits as people make them, at random places of a C file."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Edit = Callable[[random.Random, list[str]], None]
"""Changes the lines of a file."""

_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_WORD = re.compile(r"\b[a-z_]\w*\b")


def _statements(lines: list[str]) -> list[int]:
    return [n for n, line in enumerate(lines) if line.rstrip().endswith(";") and line.startswith((" ", "\t"))] or [0]


def _indented(lines: list[str], at: int) -> str:
    return lines[at][: len(lines[at]) - len(lines[at].lstrip())]


def constant_changed(rng: random.Random, lines: list[str]) -> None:
    places = [n for n, line in enumerate(lines) if _NUMBER.search(line) and "include" not in line]
    if places:
        at = rng.choice(places)
        number = rng.choice(list(_NUMBER.finditer(lines[at])))
        lines[at] = f"{lines[at][: number.start()]}{rng.randrange(100, 999)}{lines[at][number.end() :]}"


def identifier_renamed(rng: random.Random, lines: list[str]) -> None:
    at = rng.choice(_statements(lines))
    if names := _WORD.findall(lines[at]):
        name, end = rng.choice(names), at + rng.randrange(1, 6)
        lines[at:end] = [re.sub(rf"\b{name}\b", f"{name}_new", line) for line in lines[at:end]]


def line_added(rng: random.Random, lines: list[str]) -> None:
    at = rng.choice(_statements(lines))
    lines.insert(at + rng.randrange(2), f"{_indented(lines, at)}total_{rng.randrange(9)} += {rng.randrange(9)};")


def line_removed(rng: random.Random, lines: list[str]) -> None:
    del lines[rng.choice(_statements(lines))]


def comment_added(rng: random.Random, lines: list[str]) -> None:
    at = rng.choice(_statements(lines))
    kind = rng.randrange(4)
    if kind == 0:
        lines[at] += "  // why"
    elif kind == 1:
        lines.insert(at, f"{_indented(lines, at)}// warplens: n = 4096")
    elif kind == 2:
        lines.insert(at, f"{_indented(lines, at)}/* all of\n   them */")
        lines[:] = "\n".join(lines).split("\n")
    else:
        lines[at] = f"{_indented(lines, at)}/* {lines[at].strip()} */"


def loop_added(rng: random.Random, lines: list[str]) -> None:
    at = rng.choice(_statements(lines))
    space = _indented(lines, at)
    lines[at:at] = [
        f"{space}for (int i_{rng.randrange(9)} = 0; i < n; i++) {{",
        f"{space}    x[i] = 2.0 * y[i] + {rng.randrange(9)};",
        f"{space}}}",
        "",
    ]


def function_added(rng: random.Random, lines: list[str]) -> None:
    ends = [n for n, line in enumerate(lines) if line.rstrip() == "}"]
    if ends:
        at = rng.choice(ends) + 1
        body = "\nstatic void scale(int n, double *x)\n{\n    for (int i = 0; i < n; i++)\n        x[i] *= 2;\n}"
        lines[at:at] = body.split("\n")


def pragma_added(rng: random.Random, lines: list[str]) -> None:
    loops = [n for n, line in enumerate(lines) if line.lstrip().startswith("for (")]
    if loops:
        at = rng.choice(loops)
        lines.insert(at, f"{_indented(lines, at)}#pragma omp parallel for reduction(+ : s)")


def macro_use_added(rng: random.Random, lines: list[str]) -> None:
    own = [m[1] for line in lines if (m := re.match(r"#define (\w+) ", line))] or ["SIZE"]
    at = rng.choice(_statements(lines))
    lines.insert(at, f"{_indented(lines, at)}x[0] += {rng.choice(own)} - 1;")


def system_macro_use_added(rng: random.Random, lines: list[str]) -> None:
    at = rng.choice(_statements(lines))
    lines.insert(at, f"{_indented(lines, at)}p = {rng.choice(['NULL', 'M_PI', 'EOF', 'INT_MAX'])};")


def statement_extended(rng: random.Random, lines: list[str]) -> None:
    at = rng.choice(_statements(lines))
    lines[at] = f"{lines[at].rstrip()[:-1]} + 1;"


def half_typed(rng: random.Random, lines: list[str]) -> None:
    at = rng.choice(_statements(lines))
    lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]


def include_added(rng: random.Random, lines: list[str]) -> None:
    lines.insert(0, f"#include <{rng.choice(['math', 'string', 'limits', 'assert'])}.h>")


def define_changed(rng: random.Random, lines: list[str]) -> None:
    own = [n for n, line in enumerate(lines) if line.startswith("#define")]
    if own:
        lines[rng.choice(own)] += " + 1"
    else:
        lines.insert(0, "#define SIZE 100")


def block_indented(rng: random.Random, lines: list[str]) -> None:
    at = rng.randrange(len(lines))
    end = at + rng.randrange(1, 30)
    lines[at:end] = [f"  {line}" if line and not line.startswith("#") else line for line in lines[at:end]]


PLAIN: tuple[Edit, ...] = (
    constant_changed, identifier_renamed, line_added, line_removed, comment_added, loop_added, function_added,
    pragma_added, macro_use_added, statement_extended, block_indented,
)  # fmt: skip
OTHERS: tuple[Edit, ...] = (system_macro_use_added, half_typed, include_added, define_changed)


MACROS = """\
#define N 1024
#define LAST (N-1)
#define INDEX(i,j) ((i)*N+(j))
#define SQUARE(x) x*x
#define AT(a,i,j) a[i][ j ]
#define MIN(a,b) ((a)<(b)?(a):(b))
#define TYPE unsigned int
#define BOUND(x,y) x
#define SIZE BOUND(N,n)
#define OTHER MIN
#define JOIN(a,b) a##b
#define TEXT(a) #a
#define EMPTY
#define SEVEN() 7
#define HALF .5
#define HEX 0x1F
#define LITERAL "text"
#define LOWEST -1
#define SELF (SELF+1)
"""
_ARGUMENTS = {"INDEX": 2, "SQUARE": 1, "AT": 3, "MIN": 2, "BOUND": 2, "JOIN": 2, "TEXT": 1, "SEVEN": 0, "OTHER": 2}
_NAMES = re.findall(r"#define (\w+)", MACROS)
_OPERATORS = (
    "+",
    "-",
    "*",
    "/",
    "->",
    ".",
    "++",
    "--",
    "=",
    "<",
    "?",
    ":",
    ",",
    ";",
    "(",
    ")",
    "]",
    "&",
    "!",
    "%",
    "^",
)


def tokens_with_macros(rng: random.Random, depth: int) -> str:
    """A part of a line that is seldom C, and hard to get right."""

    def blank() -> str:
        return rng.choice(("", "", "", " ", "  ", "\t", " /* c */ "))

    kind = rng.random()
    if depth == 0 or kind < 0.3:
        return rng.choice(("i", "x1", "2", "3.5", '"s"', "'c'", "1e", "0x2", "N", "LAST"))
    if kind < 0.6:
        name = rng.choice(_NAMES)
        if name not in _ARGUMENTS:
            return name
        count = _ARGUMENTS[name] + rng.choice((0,) * 12 + (1,))
        return f"{name}({','.join(f'{blank()}{tokens_with_macros(rng, depth - 1)}{blank()}' for _ in range(count))})"
    parts = (tokens_with_macros(rng, depth - 1), rng.choice(_OPERATORS), tokens_with_macros(rng, depth - 1))
    return blank().join(parts)
