"""Whatever a nest looks like, the work on it is bounded: counted in calls of functions, not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from support.c_nests.parsed import only_nest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.nest import LoopNest

pytestmark = pytest.mark.long

MOST_CALLS = 3_000_000


class TooMuchWorkError(Exception):
    """The analysis called more functions than it may."""


def nest_of(body: str) -> LoopNest:
    parameters = "int n, int m, double *restrict a, double *restrict b, " + ", ".join(f"int m{k}" for k in range(60))
    source = f"void f({parameters}) {{ {body} }}"
    return only_nest(source)


def counted(work: Callable[[], NestFacts]) -> NestFacts:
    """What the work gives. Raises TooMuchWorkError."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"
        if calls > MOST_CALLS:
            sys.setprofile(None)
            raise TooMuchWorkError

    sys.setprofile(count)
    try:
        return work()
    finally:
        sys.setprofile(None)


def triangles(depth: int) -> str:
    heads = (f"for (int i{k} = {f'i{k - 1}' if k else 0}; i{k} < n; i{k}++) " for k in range(depth))
    return "".join(heads) + "a[" + " + ".join(f"i{k}" for k in range(depth)) + "] += b[i0];"


def straight(lines: list[str]) -> str:
    return "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { int t = i; " + " ".join(lines) + " }"


def limits(count: int) -> str:
    first = " && ".join(f"i < m{k}" for k in range(count))
    second = " && ".join(f"j < m{k} + i" for k in range(count))
    return f"for (int i = 0; {first}; i++) for (int j = i; {second}; j++) a[i + j] = a[i];"


NESTS = {
    "triangles in triangles": triangles(20),
    "choices among choices": straight([*(f"t = t > {k} ? t + {k} : t - i;" for k in range(60)), "a[t] = b[i];"]),
    "branches after branches": straight(
        [*(f"if (j > {k}) t = t + {k}; else t = t - i;" for k in range(60)), "a[t] = b[i];"]
    ),
    "quotients of quotients": straight([*(f"t = t / 2 + t % {k};" for k in range(3, 63)), "a[t] = b[i];"]),
    "a product of sums": straight(["a[" + "*".join(["(i + j + n + m + 1)"] * 60) + "] = 1;"]),
    "sixty limits": limits(60),
    "stores after stores": straight([f"a[i*m*200 + {k}] = a[i*m*200 + {k * 7 % 200}];" for k in range(200)]),
    "loops after loops": "for (int t = 0; t < n; t++) {"
    + "".join(f"for (int i = {k}; i < n; i++) a[i] = b[i + {k}] * b[i];" for k in range(80))
    + "}",
    "conditions in conditions": straight([*(f"if (i != {3 * k} && j != m - {k})" for k in range(60)), "a[i] = a[j];"]),
}


@pytest.mark.parametrize("body", NESTS.values(), ids=NESTS.keys())
def test_the_work_on_a_nest_is_bounded(body: str) -> None:
    nest = nest_of(body)
    facts = counted(lambda: analyse_nest(nest))
    assert all(verdict.reason for verdict in facts.verdicts if verdict.kind == "unknown")


def test_the_work_is_counted() -> None:
    with pytest.raises(TooMuchWorkError):
        counted(lambda: max((analyse_nest(nest_of(triangles(4))) for _ in range(1000)), key=id))
