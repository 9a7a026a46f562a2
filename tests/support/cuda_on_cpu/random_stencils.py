"""Random stencils in one to three dimensions: halos, steps, loops that count down, counters without sign, borders.

The arrays are as long as the interior and its halos, behind pointers or declared; the same seed makes the same text.
"""

from __future__ import annotations

from random import Random

from support.cuda_on_cpu.case import Case

SIZES = ({"n": 0, "m": 1}, {"n": 1, "m": 1}, {"n": 3, "m": 9}, {"n": 21, "m": 6}, {"n": 13, "m": 37})
_KINDS = ("float", "double", "double", "short", "unsigned char", "int", "long")
_COUNTERS = ("int", "int", "int", "long", "unsigned", "size_t")


class RandomStencil:
    """Writes one function. `seed` decides everything."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"stencil {seed}")
        self.name = f"stencil_{seed}"
        self.grid = ["i", "j", "k"][: self.random.choice((1, 1, 2, 2, 2, 3))]
        self.extents = [self.random.choice(("n", "n", "m", "n + m")) for _ in self.grid]
        self.halo = self.random.choice((1, 1, 2))
        self.is_linear = self.random.random() < 0.6
        self.is_guarded = self.random.random() < 0.5
        self.counter = self.random.choice(_COUNTERS)

    def case(self) -> Case:
        """The function as a case."""
        kind, other = self.random.choice(_KINDS), self.random.choice(_KINDS)
        lines = ["    " * (1 + at) + f"for ({self.header(at)})" for at in range(len(self.grid))]
        body, indent = self.body(), "    " * (1 + len(self.grid))
        lines += [f"{indent[4:]}{{", *(indent + line for line in body), f"{indent[4:]}}}"]
        shape = "".join(f"[{self.rows(at)}]" for at in range(len(self.grid)))
        declared = [f"*restrict {name}" if self.is_linear else f"{name}{shape}" for name in "yxz"]
        head = f"int n, int m, {kind} {declared[0]}, const {other} {declared[1]}, const {kind} {declared[2]}"
        text = "\n".join(["#include <stddef.h>", f"void {self.name}({head})", "{", *lines, "}", ""])
        length = " * ".join(f"({self.rows(at)})" for at in range(len(self.grid)))
        lengths = dict.fromkeys("yxz", length) if self.is_linear else {}
        return Case(self.name, text, SIZES, self.name, lengths=lengths)

    def rows(self, at: int) -> str:
        """Elements of a dimension: where borders are guarded there is no halo."""
        return self.extents[at] if self.is_guarded else f"{self.extents[at]} + {2 * self.halo}"

    def header(self, at: int) -> str:
        """Of the loop over a dimension's interior, upwards or downwards."""
        name, extent = self.grid[at], self.extents[at]
        low, high = ("0", extent) if self.is_guarded else (str(self.halo), f"{extent} + {self.halo}")
        step = self.random.choice((1, 1, 1, 1, 2, 3))
        if at and self.extents[0] == extent and self.random.random() < 0.15:
            high = f"{self.grid[0]} + 1"
        moved = f"{name}++" if step == 1 else f"{name} += {step}"
        if self.random.random() > 0.25:
            return f"{self.counter} {name} = {low}; {name} < {high}; {moved}"
        if self.counter in {"int", "long"}:
            return f"{self.counter} {name} = {high} - 1; {name} >= {low}; {moved.replace('+', '-')}"
        return f"{self.counter} {name} = {high}; {name}-- > {low};"

    def body(self) -> list[str]:
        """One result from the neighbours of a point, perhaps summed in a loop over them."""
        here = self.element("y", [0] * len(self.grid))
        if not self.is_guarded and self.random.random() < 0.3:
            return [*self.summed(), f"{here} = s;"]
        terms = [self.term() for _ in range(self.random.choice((2, 3, 4, 6)))]
        joined = self.random.choice((" + ", " - ")).join(terms)
        return [f"{here} = {joined};"]

    def summed(self) -> list[str]:
        """All neighbours along one dimension."""
        at = self.random.randrange(len(self.grid))
        up = self.random.random() < 0.6
        loop = f"int d = {-self.halo}; d <= {self.halo}; d++" if up else f"int d = {self.halo}; d >= {-self.halo}; d--"
        subscripts = [f"{name} + d" if number == at else name for number, name in enumerate(self.grid)]
        return ["double s = 0;", f"for ({loop})", f"    s += {self.written('x', subscripts)} * (d + 3);"]

    def term(self) -> str:
        """A neighbour; one that may lie outside is read under a condition, or is another one there."""
        array = self.random.choice("xxz")
        moves = [self.random.choice((0, 0, -self.halo, -1, 1, self.halo)) for _ in self.grid]
        if not self.is_guarded:
            return self.element(array, moves)
        tests = [self.inside(at, move) for at, move in enumerate(moves) if move]
        if not tests:
            return self.element(array, moves)
        return f"({' && '.join(tests)} ? {self.element(array, moves)} : 1)"

    def inside(self, at: int, move: int) -> str:
        """Whether a neighbour is one, in the words of one programmer or another."""
        name, extent = self.grid[at], self.extents[at]
        if move < 0:
            own = [f"{name} >= {-move}", f"{name} > {-move - 1}", f"!({name} < {-move})"]
            return self.random.choice([*own, f"{name} != 0", name] if move == -1 else own)
        return self.random.choice([f"{name} + {move} < {extent}", f"(long){name} < {extent} - {move}"])

    def element(self, array: str, moves: list[int]) -> str:
        """An element so far from the point."""
        moved = (f" {'+' if move > 0 else '-'} {abs(move)}" if move else "" for move in moves)
        return self.written(array, [name + text for name, text in zip(self.grid, moved, strict=True)])

    def written(self, array: str, subscripts: list[str]) -> str:
        """In brackets, or as one number."""
        if not self.is_linear:
            return array + "".join(f"[{text}]" for text in subscripts)
        total = subscripts[0]
        for at, text in enumerate(subscripts[1:], 1):
            total = f"({total}) * ({self.rows(at)}) + {text}"
        return f"{array}[{total}]"


def random_stencils(seeds: range) -> list[Case]:
    """A case per seed."""
    return [RandomStencil(seed).case() for seed in seeds]
