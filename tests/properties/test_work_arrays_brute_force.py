"""Work arrays that are said to be an iteration's own against what iterations do: each read finds what its own wrote.

Random matrices that are written in loops and read in others, in another order, as one row, or where data says. Each is
run for small sizes, negative ones among them; what data decides may be any element of the array.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from support.c_nests.parsed import only_nest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.integer_sets.nest_budget import NestBudget
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts

LENGTHS = ("n", "m", "n - 1", "m + 1", "n*m")
STEPS = ("1", "n", "m", "n + 1", "n*m")
ELEMENTS = ("n*m", "n*n", "m*(n + 1)", "n*m + 1")
GUARDS = ("", "", "", "", "if (i != 1) ", "if (x[j] > 0) ", "if (j <= i) ")
SIZES = range(-2, 4)


@dataclass(frozen=True)
class Loops:
    """Two loops over `t[i*step + j*other + first]`."""

    lengths: tuple[str, str]
    steps: tuple[str, str]
    first: str = "0"
    guard: str = ""

    def text(self, body: str) -> str:
        index = f"i*({self.steps[0]}) + j*({self.steps[1]}) + {self.first}"
        loops = f"for (int i = 0; i < {self.lengths[0]}; i++) for (int j = 0; j < {self.lengths[1]}; j++)"
        return f"{loops} {self.guard}{body.format(index)}"

    def touched(self, n: int, m: int) -> set[int]:
        """Elements that surely are."""
        sizes = {"n": n, "m": m}
        counts = [value(length, **sizes) for length in self.lengths]
        found = set()
        for i, j in product(*map(range, counts)):
            if "x" not in self.guard and ("!=" not in self.guard or i != 1) and ("<=" not in self.guard or j <= i):
                found.add(value(f"i*({self.steps[0]}) + j*({self.steps[1]}) + {self.first}", i=i, j=j, **sizes))
        return found


@dataclass(frozen=True)
class Case:
    made: str
    elements: str
    write: Loops
    read: Loops
    gathers: bool
    is_read_first: bool

    @property
    def source(self) -> str:
        write = self.write.text("t[{0}] = x[c + i + j];")
        read = self.read.text("y[c] += t[idx[i + j]];" if self.gathers else "y[c] += t[{0}];")
        body = f"{read} {write}" if self.is_read_first else f"{write} {read}"
        made = "malloc(({0}) * sizeof(double))" if self.made == "malloc" else "calloc({0}, sizeof(double))"
        return (
            "void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void free(void *);\n"
            "void f(int n, int m, int r, const int *idx, const double *restrict x, double *restrict y) {\n"
            f"double *t = {made.format(self.elements)};\n"
            f"for (int c = 0; c < r; c++) {{ {body} }} free(t); }}"
        )


def value(text: str, **names: int) -> int:
    return int(eval(text, {}, names))


def is_own(case: Case, n: int, m: int) -> bool:
    """Whether an iteration reads only what it wrote, of memory that was empty before: or nothing of it is ever set."""
    reads, writes = case.read.touched(n, m), case.write.touched(n, m)
    if case.gathers:
        reads = set(range(value(case.elements, n=n, m=m))) if reads else set()
    if not reads <= set(range(value(case.elements, n=n, m=m))):
        return True  # what C does not define
    is_empty = case.made == "malloc" and not writes
    return not reads or is_empty or (reads <= writes and not case.is_read_first)


loops = st.builds(
    Loops,
    st.tuples(st.sampled_from(LENGTHS), st.sampled_from(LENGTHS)),
    st.tuples(st.sampled_from(STEPS), st.sampled_from(STEPS)),
    st.sampled_from(("0", "0", "0", "1", "n")),
    st.sampled_from(GUARDS),
)
matrices = st.sampled_from(
    [Loops(("n", "m"), ("m", "1")), Loops(("n", "m"), ("1", "n")), Loops(("m", "n"), ("n", "1")),
     Loops(("n*m", "1"), ("1", "0")), Loops(("1", "n*m"), ("0", "1"))]
)  # fmt: skip
cases = st.builds(
    Case,
    st.sampled_from(("malloc", "malloc", "calloc")),
    st.sampled_from(ELEMENTS),
    st.one_of(matrices, loops),
    st.one_of(matrices, loops),
    st.booleans(),
    st.sampled_from((False, False, False, True)),
)


def is_said_to_be_own(case: Case) -> bool:
    budget = NestBudget()
    nest = delinearise(only_nest(case.source), budget)
    outermost = loop_verdicts(nest, (), budget)[0]
    return outermost.can_run_in_parallel and "t" in outermost.private


@given(case=cases)
def test_an_array_that_is_said_to_be_own_is(case: Case) -> None:
    if is_said_to_be_own(case):
        assert all(is_own(case, n, m) for n in SIZES for m in SIZES), case.source


def test_the_plain_ones_are_found() -> None:
    rows, columns, row = Loops(("n", "m"), ("m", "1")), Loops(("n", "m"), ("1", "n")), Loops(("n*m", "1"), ("1", "0"))
    for write, read, gathers in ((rows, row, False), (columns, row, False), (columns, rows, True), (row, rows, True)):
        assert is_said_to_be_own(Case("malloc", "n*m", write, read, gathers, is_read_first=False)), (write, read)
