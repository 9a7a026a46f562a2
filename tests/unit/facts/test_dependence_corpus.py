"""Every loop of tests/fixtures/dependence has the verdict that its comment says, and few loops deserve a better one."""

from __future__ import annotations

import re
from bisect import bisect
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.iteration_order.labels import FIXTURES, Label, can_run_in_parallel, judged, labels, shown

LEAST_KERNELS = 130
MOST_NOT_RUN = 0.05
LEAST_SHARE_FOUND = 0.95
_DEFINITION = re.compile(r"(?!typedef|struct \w+ \{|union|enum)\w[^;=]*\([^;]*$")
"""The first line of a function: it starts in the first column."""


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_each_loop_has_the_verdict_of_its_comment(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    found = {line: shown(v) for nest in judged(source) for line, v in zip(nest.lines, nest.verdicts, strict=True)}
    expected = {line: label.found for line, label in labels(source).items() if label.found != "none"}
    assert found == expected


@dataclass(frozen=True, slots=True)
class Family:
    """A file of the corpus: how many functions have a loop, the labels of all loops."""

    name: str
    kernels: int
    labels: tuple[Label, ...]

    @property
    def parallel(self) -> tuple[Label, ...]:
        return tuple(label for label in self.labels if label.is_parallel)


def families() -> tuple[Family, ...]:
    return tuple(family(path.stem, path.read_text(encoding="utf-8")) for path in FIXTURES)


def family(name: str, source: str) -> Family:
    """What the text alone says: that the analysis finds these loops is the test above."""
    found = labels(source)
    lines = source.splitlines()
    starts = [number for number, line in enumerate(lines, 1) if _DEFINITION.match(line)]
    kernels = {bisect(starts, line) for line, label in found.items() if label.found != "none"}
    return Family(name, len(kernels), tuple(found.values()))


def test_no_loop_is_found_parallel_that_is_not_and_most_that_are_are_found() -> None:
    every = families()
    total = Family("all", sum(f.kernels for f in every), tuple(label for f in every for label in f.labels))
    print(f"\n{'family':<18} kernels  loops  truly parallel  found  wrong  not run")
    for f in (*every, total):
        found = sum(label.is_found for label in f.parallel)
        wrong = sum(label.is_found and not label.is_parallel for label in f.labels)
        not_run = sum(label.note == "not run" for label in f.labels)
        row = f"{f.kernels:>8}{len(f.labels):>7}{len(f.parallel):>16}{found:>7}{wrong:>7}{not_run:>9}"
        print(f"{f.name:<18}{row}")
    # What holds of the labels holds of the verdicts: the test above compares them.
    assert not [x for x in total.labels if x.is_found and not x.is_parallel]
    assert not [x for x in total.labels if x.truth == "unknown" and x.found not in {"unknown", "none"}]
    assert total.kernels >= LEAST_KERNELS
    assert sum(x.note == "not run" for x in total.labels) <= MOST_NOT_RUN * len(total.labels)
    assert sum(x.is_found for x in total.parallel) >= LEAST_SHARE_FOUND * len(total.parallel)


def test_a_label_can_say_more_than_is_found() -> None:
    (label,) = labels("for (;;)  // loop: parallel private(t,s) induction(k) | found: unknown").values()
    assert label == Label("parallel", "unknown", ("t", "s"), ("k",))
    assert label.is_parallel
    assert not label.is_found
    assert can_run_in_parallel("reduction(+:s)")
    with pytest.raises(AssertionError, match="line 1"):
        labels("for (;;)  // loop: perhaps")
