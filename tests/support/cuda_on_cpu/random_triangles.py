"""Random nests of sums that need each other, as in factorisations: which may run in steps, dependences decide.

Most are near LU or Cholesky by rows, with a bound, a subscript or a statement that may be another. Numbers are
unsigned, so that every result is exact.
"""

from __future__ import annotations

from random import Random

from support.cuda_on_cpu.case import Case

SIZES = ({"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}, {"n": 9})
_COLUMNS = (("0", "i"), ("i", "n"), ("i + 1", "n"), ("0", "i + 1"), ("0", "n"))
_SUMS = (("0", "j"), ("0", "i"), ("j + 1", "n"), ("0", "j + 1"), ("1", "j"), ("0", "n"))


class RandomTriangle:
    """Writes one function. `seed` decides everything."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"triangle {seed}")
        self.name = f"triangle_{seed}"

    def case(self) -> Case:
        """The function as a case."""
        pick = self.random.choice
        body = [line for _ in range(pick((1, 1, 2, 2, 3))) for line in self.part()]
        rows = pick(("0", "0", "0", "1"))
        head = f"void {self.name}(int n, unsigned a[n][n], unsigned b[n][n])"
        lines = [
            head,
            "{",
            f"    for (int i = {rows}; i < n; i++) {{",
            *(f"        {line}" for line in body),
            "    }",
            "}",
        ]
        return Case(self.name, "\n".join([*lines, ""]), SIZES, self.name)

    def part(self) -> list[str]:
        """Statements of a row: sums of its elements, one of its diagonal's, or one statement."""
        kind = self.random.choice(("elements", "elements", "elements", "elements", "diagonal", "one"))
        if kind == "one":
            return [self.closing("i", "i")]
        if kind == "diagonal":
            low, high = self.random.choice((("0", "i"), ("0", "i"), ("i + 1", "n")))
            lines = [f"for (int k = {low}; k < {high}; k++)", f"    {self.step('i', 'i')}"]
            return lines + ([self.closing("i", "i")] if self.random.random() < 0.5 else [])
        low, high = self.random.choice(_COLUMNS[:3] if self.random.random() < 0.9 else _COLUMNS)
        first, last = ("0", "j" if (low, high) == _COLUMNS[0] else "i")
        if self.random.random() < 0.2:
            first, last = self.random.choice((*_SUMS, ("i + 1", "n"), ("i + 1", "n"), ("i + 1", "n")))
        inner = [f"for (int k = {first}; k < {last}; k++)", f"    {self.step('i', 'j')}"]
        if self.random.random() < 0.3:
            kept = [one.replace("a[i][j] ", "w ") for one in inner]
            last_value = "w" if self.random.random() < 0.4 else "w * 3 + a[j][j]"
            inner = ["unsigned w = a[i][j];", *kept, f"a[i][j] = {last_value};"]
        elif self.random.random() < 0.1:
            inner.insert(0, self.closing("i", "j"))
        if "w" not in inner[0] and self.random.random() < 0.6:
            inner.append(self.closing("i", "j"))
        return [f"for (int j = {low}; j < {high}; j++) {{", *(f"    {line}" for line in inner), "}"]

    def step(self, row: str, column: str) -> str:
        """One step of a sum: mostly the row's times the column's, or the other row's."""
        if self.random.random() < 0.9:
            left, right = f"a[{row}][k]", self.random.choice((f"a[k][{column}]", f"a[{column}][k]"))
        else:
            left, right = self.element(row, column, "k"), self.element(row, column, "k")
        target = f"a[{row}][{column}]" if self.random.random() < 0.95 else f"a[{column}][{row}]"
        return f"{target} {self.random.choice(('-=', '-=', '+=', '^='))} {left} * {right};"

    def closing(self, row: str, column: str) -> str:
        """What is done with an element once its sum is there."""
        other = f"a[{column}][{column}]" if self.random.random() < 0.85 else self.element(row, column)
        target = f"a[{row}][{column}]" if self.random.random() < 0.95 else self.element(row, column)
        return f"{target} = {target} * 3 + {other};"

    def element(self, *iterators: str) -> str:
        """An element at any of these."""
        return f"{self.random.choice('aaab')}[{self.random.choice(iterators)}][{self.random.choice(iterators)}]"


def random_triangles(seeds: range) -> list[Case]:
    """Cases of these seeds."""
    return [RandomTriangle(seed).case() for seed in seeds]
