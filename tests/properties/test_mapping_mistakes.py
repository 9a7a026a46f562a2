"""What is said of a directive's sections against loops that are run: the element is touched, and is not mapped.

Random loops, guards, subscripts and sections; each is run for all small sizes from the one on that the claim names.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st
from support.c_nests.parsed import nests_of
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.mapping_mistake import MappingMistake

FIRST = ("0", "1", "m", "n/2")
END = ("n", "n - 1", "m", "n/2", "2*n", "8")
INNER_FIRST = (*FIRST, "i")
INNER_END = (*END, "i", "i + 1")
INDEX = ("i", "j", "i + j", "n - 1 - i", "i*m + j", "i + n", "2*i + 1", "i + 1", "j*n + i", "3")
START = ("0", "1", "n", "m", "n/2")
LENGTH = ("n", "n/2", "n - 1", "n*m", "2*n + 2", "m", "1", "n*m/2", "(n + m)/3")
GUARD = ("", "if (i < n/2) ", "if (w[j] > 0) ", "if (i != 3) ")
BODY = ("y[{0}] = 1;", "y[{0}] += 1;", "v[i] = y[{0}];", "y[{0}] = 1; v[i] = y[{0}];", "v[i] = y[{0}]; y[{0}] = 1;")
WAYS = ("to", "from", "tofrom")
SIZES = range(1, 7)

ends = st.tuples(st.sampled_from(FIRST), st.sampled_from(END))
inner_ends = st.tuples(st.sampled_from(INNER_FIRST), st.sampled_from(INNER_END))


@dataclass(frozen=True)
class Case:
    outer: tuple[str, str]
    inner: tuple[str, str]
    backwards: bool
    guard: str
    body: str
    index: str
    start: str
    length: str
    way: str

    @property
    def source(self) -> str:
        first, end = self.outer
        loop = f"for (int i = {first}; i < {end}; i++)"
        if self.backwards:
            loop = f"for (int i = {end} - 1; i >= {first}; i--)"
        return (
            "void f(int n, int m, int *restrict y, int *restrict v, const int *restrict w) {\n"
            f"#pragma omp target teams distribute parallel for map({self.way}: y[{self.start}:{self.length}])\n"
            f"{loop} for (int j = {self.inner[0]}; j < {self.inner[1]}; j++) {{ "
            f"{self.guard}{{ {self.body.format(self.index)} }} }} }}"
        )


cases = st.builds(
    Case,
    ends,
    inner_ends,
    st.booleans(),
    st.sampled_from(GUARD),
    st.sampled_from(BODY),
    st.sampled_from(INDEX),
    st.sampled_from(START),
    st.sampled_from(LENGTH),
    st.sampled_from(WAYS),
)


def value(text: str, **names: int) -> int:
    return int(eval(text.replace("/", "//"), {}, names))


def touched(case: Case, n: int, m: int) -> list[tuple[str, int]]:
    """Reads and writes of `y` that happen whatever the data is, in order."""
    found: list[tuple[str, int]] = []
    outer = range(value(case.outer[0], n=n, m=m), value(case.outer[1], n=n, m=m))
    for i in reversed(outer) if case.backwards else outer:
        for j in range(value(case.inner[0], n=n, m=m, i=i), value(case.inner[1], n=n, m=m, i=i)):
            if "w[j]" in case.guard or ("n/2" in case.guard and i >= n // 2) or ("!= 3" in case.guard and i == 3):
                continue
            at = value(case.index, n=n, m=m, i=i, j=j)
            for statement in case.body.format("@").rstrip(";").split(";"):
                is_write = statement.strip().startswith("y")
                reads = not is_write or "+=" in statement
                found += [(kind, at) for kind, is_done in (("read", reads), ("write", is_write)) if is_done]
    return found


def holds(case: Case, mistake: MappingMistake, n: int, m: int) -> bool:
    """Whether the claim is true at these sizes, or the loop touches nothing."""
    found = touched(case, n, m)
    if not found:
        return True
    start = value(case.start, n=n, m=m)
    mapped = range(start, start + value(case.length, n=n, m=m))
    element = mistake.element.evaluate({"n": n, "m": m})
    match mistake.kind:
        case "outside":
            return element not in mapped and element in {at for _, at in found}
        case "unset":
            return case.way == "from" and next(kind for kind, at in found if at == element) == "read"
        case _:
            return case.way == "to" and ("write", element) in found


@given(case=cases)
def test_what_is_said_of_sections_is_true_for_all_sizes_from_the_smallest_on(case: Case) -> None:
    (nest,) = nests_of(case.source)
    for mistake in (mistake for verdict in loop_verdicts(nest) for mistake in verdict.mismapped):
        sizes = range(max(mistake.least, 1), mistake.least + 6)
        assert all(holds(case, mistake, n, m) for n in sizes for m in sizes), (case.source, mistake)
