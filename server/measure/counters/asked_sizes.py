"""Problem sizes as a command line and files' names say them: `n=1024,2048`, `mm_{n}.csv`, `n=256,m=64.csv`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from pathlib import Path

MOST_COMBINATIONS = 1000
MOST_SIZE = 2.0**53
"""Above, not every whole number is a double; no memory has so many elements."""
_IN_NAME = re.compile(r"(?:^|(?<=[,.@ _-]))([A-Za-z]\w*)=(\d+(?:\.\d+)?)(?=$|[, _-]|\.\D)")
PLACEHOLDER = re.compile(r"\{([^\W\d]\w*)\}")
"""`{n}` where a size is meant."""
Sweep = tuple[str, tuple[float, ...]]


def sweep_of(text: str) -> Sweep:
    """One name and its values; raises ValueError.

    >>> sweep_of("n=256,512")
    ('n', (256.0, 512.0))
    """
    name, _, values = text.partition("=")
    try:
        found = tuple(float(value) for value in values.split(","))
    except ValueError:
        found = ()
    if not name.isidentifier() or not found or not all(0 < value <= MOST_SIZE for value in found):
        message = f"{text!r} is not NAME=SIZE or NAME=SIZE,SIZE,.. with numbers above 0, up to 2^53"
        raise ValueError(message)
    return name, found


def combinations(sweeps: Sequence[Sweep]) -> tuple[dict[str, float], ...]:
    """Every value of the one with every value of the others; raises ValueError for a name twice, or too many.

    >>> combinations([("n", (1.0, 2.0)), ("m", (3.0,))])
    ({'n': 1.0, 'm': 3.0}, {'n': 2.0, 'm': 3.0})
    """
    names = [name for name, _ in sweeps]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        message = f"{', '.join(twice)} is given twice: write NAME=SIZE,SIZE,.."
        raise ValueError(message)
    if (count := prod(len(values) for _, values in sweeps)) > MOST_COMBINATIONS:
        message = f"{count} combinations of sizes are more than {MOST_COMBINATIONS}"
        raise ValueError(message)
    return tuple(dict(zip(names, values, strict=True)) for values in product(*(values for _, values in sweeps)))


def sizes_in_name(path: Path, pattern: str = "") -> dict[str, float]:
    """Of `n=256,m=64.csv`, or by a pattern such as `mm_{n}.csv`; raises ValueError where the name is not like it.

    >>> sizes_in_name(Path("heat.n=256_m=64.csv")), sizes_in_name(Path("mm_512.csv"), "mm_{n}.csv")
    ({'n': 256.0, 'm': 64.0}, {'n': 512.0})
    """
    if not pattern:
        return _sizes(_IN_NAME.findall(path.name))
    parts = PLACEHOLDER.split(pattern)
    expression = "".join(
        re.escape(part) if place % 2 == 0 else rf"(?P<{part}>\d+(?:\.\d+)?)" for place, part in enumerate(parts)
    )
    try:
        found = re.fullmatch(expression, path.name)
    except re.error as error:
        message = f"{pattern!r} is no pattern of names: {error}"
        raise ValueError(message) from error
    if found is None or not found.groupdict():
        message = f"the name is not like {pattern!r}, where {{n}} stands for the size n"
        raise ValueError(message)
    return _sizes(tuple(found.groupdict().items()))


def _sizes(found: Sequence[tuple[str, str]]) -> dict[str, float]:
    sizes = {name: float(value) for name, value in found}
    if len(sizes) < len(found) or not all(0 < value <= MOST_SIZE for value in sizes.values()):
        message = "the name says a size twice, or one that is not above 0 and up to 2^53"
        raise ValueError(message)
    return sizes


def sizes_text(sizes: Mapping[str, float]) -> str:
    """For people, and for files' names without the blanks.

    >>> sizes_text({"n": 256.0, "m": 2.5})
    'n = 256, m = 2.5'
    """
    return ", ".join(f"{name} = {number_text(value)}" for name, value in sizes.items())


def number_text(value: float) -> str:
    """A size as it would be written in C.

    >>> number_text(1048576.0), number_text(0.5)
    ('1048576', '0.5')
    """
    return str(int(value)) if value == int(value) else repr(value)
