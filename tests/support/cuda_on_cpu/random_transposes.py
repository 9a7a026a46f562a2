"""Random nests whose stores or loads scatter over a warp: permuted dimensions, rows backwards, records of numbers.

Blocks collect what is stored in shared memory, or load from there: most of these have a launch that does, and the
others (a guard, a triangle, an element that nobody writes or two statements write) must not.
"""

from __future__ import annotations

from random import Random

from support.cuda_on_cpu.case import Case

SIZES = ({"n": 0, "m": 1}, {"n": 1, "m": 1}, {"n": 3, "m": 9}, {"n": 33, "m": 20}, {"n": 13, "m": 65})
_KINDS = ("float", "float", "double", "short", "unsigned char", "int", "long")


class RandomTranspose:
    """Writes one function. `seed` decides everything."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"transpose {seed}")
        self.name = f"transpose_{seed}"
        self.grid = ["i", "j", "k"][: self.random.choice((1, 2, 2, 2, 2, 3))]
        self.extents = [self.random.choice(("n", "m", "m")) for _ in self.grid]
        self.steps = [self.random.choice((1, 1, 1, 1, 1, 2)) for _ in self.grid]
        self.record = self.random.choice((1, 1, 2, 3)) if len(self.grid) > 1 else self.random.choice((2, 3, 4))
        self.is_linear = self.random.random() < 0.5
        self.is_uneven = len(self.grid) > 1 and self.random.random() < 0.1
        self.stored, self.loaded = (self.order() for _ in range(2))
        self.backwards = [self.random.random() < 0.15 for _ in self.grid]

    def order(self) -> list[int]:
        """Which loop moves each dimension."""
        order = list(range(len(self.grid)))
        if self.random.random() < 0.8:
            self.random.shuffle(order)
        return order

    def case(self) -> Case:
        """The function as a case."""
        kind, other = self.random.choice(_KINDS), self.random.choice(_KINDS)
        lines = ["    " * (1 + at) + f"for ({self.header(at)})" for at in range(len(self.grid))]
        indent = "    " * (1 + len(self.grid))
        lines += [f"{indent[4:]}{{", *(indent + line for line in self.body()), f"{indent[4:]}}}"]
        shapes = [self.shape(order) for order in (self.stored, self.loaded)]
        declared = [
            f"*restrict {name}" if self.is_linear else f"{name}{''.join(f'[{extent}]' for extent in shape)}"
            for name, shape in zip("yx", shapes, strict=True)
        ]
        head = f"int n, int m, {kind} {declared[0]}, const {other} {declared[1]}"
        text = "\n".join([f"void {self.name}({head})", "{", *lines, "}", ""])
        lengths = {
            name: " * ".join(f"({extent})" for extent in shape) for name, shape in zip("yx", shapes, strict=True)
        }
        return Case(self.name, text, SIZES, self.name, lengths=lengths if self.is_linear else {})

    def header(self, at: int) -> str:
        """Of a loop from 0; one of a triangle ends where the loop outside stands."""
        name, extent, step = self.grid[at], self.extents[at], self.steps[at]
        if at and self.is_uneven and self.extents[0] == extent:
            extent = f"{self.grid[0]} + 1"
        return f"int {name} = 0; {name} < {extent}; {f'{name}++' if step == 1 else f'{name} += {step}'}"

    def shape(self, order: list[int]) -> list[str]:
        """Extents of an array whose dimensions those loops move, with records innermost."""
        extents = [f"{self.extents[at]} + 2" for at in order]
        return [*extents, str(self.record)] if self.record > 1 else extents

    def body(self) -> list[str]:
        """A store for each number of a record, of what is loaded of another one."""
        parts = [*range(self.record)]
        mistake = self.random.random()
        if self.record > 1 and mistake < 0.1:
            parts.pop(self.random.randrange(self.record))
        elif mistake > 0.95:
            parts.append(parts[0])
        self.random.shuffle(parts)
        lines: list[str] = []
        for part in parts:
            target = self.element("y", self.stored, part, shift=False)
            value = self.element("x", self.loaded, self.random.choice((part, 0)), shift=self.random.random() < 0.4)
            operator = "+=" if self.random.random() < 0.05 else "="
            line = f"{target} {operator} {value} + {self.random.choice((1, 3))};"
            if self.random.random() < 0.06:
                line = f"if ({value} > 2) {line}"
            lines.append(line)
        return lines

    def element(self, array: str, order: list[int], part: int, *, shift: bool) -> str:
        """An element of an array at the iteration, perhaps one further."""
        subscripts = []
        for at in order:
            name, extent = self.grid[at], self.extents[at]
            text = f"{extent} - {name}" if array == "y" and self.backwards[at] else name
            subscripts.append(f"{text} + 1" if shift and self.random.random() < 0.5 else text)
        shape = self.shape(order)
        subscripts += [str(part)] if self.record > 1 else []
        if not self.is_linear:
            return array + "".join(f"[{text}]" for text in subscripts)
        total = subscripts[0]
        for extent, text in zip(shape[1:], subscripts[1:], strict=True):
            total = f"({total}) * ({extent}) + {text}"
        return f"{array}[{total}]"


def random_transposes(seeds: range) -> list[Case]:
    """A case per seed."""
    return [RandomTranspose(seed).case() for seed in seeds]
