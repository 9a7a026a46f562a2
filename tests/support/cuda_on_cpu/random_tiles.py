"""Random nests that are tiled for a CPU's caches: loops over tiles around loops over their points.

Most have loops that are one without the tiles. The others (points that a limit ends too early or too late, a body that
asks for its tile, tiles with steps of their own) must stay as they are.
"""

from __future__ import annotations

from random import Random

from support.cuda_on_cpu.case import Case

SIZES = ({"n": 0, "m": 1}, {"n": 1, "m": 1}, {"n": 7, "m": 9}, {"n": 33, "m": 20}, {"n": 12, "m": 40})
_ITERATORS = "ijk"


class RandomTiles:
    """Writes one function. `seed` decides everything."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"tiles {seed}")
        self.name = f"tiles_{seed}"
        self.kind = self.random.choice(("int", "long", "unsigned", "double"))
        self.number = self.random.choice((1, 2, 2, 2, 3))
        """Loops along which elements of the result lie."""
        self.sums = self.chance(0.5) and self.number < 3
        self.loops = [*_ITERATORS[: self.number], *("s" if self.sums else "")]
        self.tile = {loop: self.random.choice((2, 4, 4, 8, 32)) for loop in self.loops}
        self.extent = {loop: self.random.choice(("n", "m", "m", "16")) for loop in self.loops}
        self.first = {loop: self.random.choice((0, 0, 0, 1)) for loop in self.loops}
        self.short = {loop: self.random.choice(("", "", "", " - 1")) for loop in self.loops}
        self.is_tiled = {loop: self.chance(0.85) for loop in self.loops}
        self.has_end = {loop: self.chance(0.25) for loop in self.loops}
        """Whether a variable holds where a tile ends: `int end = min(...);` stands in its loop."""

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def header(self, loop: str) -> str:
        """Of a loop without tiles."""
        return f"for (int {loop} = {self.first[loop]}; {loop} < {self.end(loop)}; {loop}++)"

    def end(self, loop: str) -> str:
        return f"{self.extent[loop]}{self.short[loop]}"

    def tiles(self, loop: str) -> str:
        """Of the loop over tiles; sometimes of another end than the points'."""
        end = self.extent[loop] if self.chance(0.1) else self.end(loop)
        header = f"for (int {loop}t = {self.first[loop]}; {loop}t < {end}; {loop}t += {self.tile[loop]})"
        if not self.has_end[loop]:
            return header
        behind = f"{loop}t + {self.tile[loop]}"
        held = f"int {loop}e = {behind} < {self.end(loop)} ? {behind} : {self.end(loop)};"
        if self.chance(0.3):
            held = f"int {loop}e = {behind}; {loop}e = {loop}e > {self.end(loop)} ? {self.end(loop)} : {loop}e;"
        return f"{header} {{ {held}{f' {loop}e -= {loop}t > 8;' if self.chance(0.1) else ''}"

    def points(self, loop: str) -> str:
        """Of the loop over a tile's points; one of whole tiles where that may be, or is none the wiser."""
        tile, end, step = f"{loop}t", self.end(loop), self.tile[loop]
        if self.has_end[loop]:
            return f"for (int {loop} = {tile}; {loop} < {loop}e; {loop}++)"
        length = step if self.chance(0.9) else self.random.choice((step - 1, step // 2, step + 1))
        behind = f"{tile} + {length}"
        whole = self.extent[loop] == "16" and self.first[loop] == 0 and 16 % step == 0 and not self.short[loop]
        if whole and self.chance(0.6):
            return f"for (int {loop} = {tile}; {loop} < {behind}; {loop}++)"
        form = self.random.choice(("min", "max", "and"))
        if form == "and":
            return f"for (int {loop} = {tile}; {loop} < {behind} && {loop} < {end}; {loop}++)"
        first, second = (behind, end) if form == "min" else (end, behind)
        return f"for (int {loop} = {tile}; {loop} < ({first} < {second} ? {first} : {second}); {loop}++)"

    def order(self) -> list[str]:
        """Headers: tiles before their points, each in any order."""
        left = {loop: [self.tiles(loop), self.points(loop)] if self.is_tiled[loop] else [self.header(loop)]
                for loop in self.loops}  # fmt: skip
        if self.chance(0.6):  # as most are written: all tiles, then all points
            tiled = [parts.pop(0) for parts in left.values() if len(parts) == 2]
            rest = [part for parts in left.values() for part in parts]
            if self.chance(0.4):
                self.random.shuffle(rest)
            return [*tiled, *rest]
        found: list[str] = []
        while any(left.values()):
            parts = self.random.choice([parts for parts in left.values() if parts])
            found.append(parts.pop(0))
        return found

    def case(self) -> Case:
        """The function as a case."""
        headers = self.order()
        lines = ["    " * (1 + at) + header for at, header in enumerate(headers)]
        indent = "    " * (1 + len(headers))
        lines += [f"{indent[4:]}{{", *(indent + line for line in self.body()), f"{indent[4:]}}}"]
        lines += ["    }" for header in headers if "{" in header]
        y = [f"{self.extent[loop]} + 1" for loop in _ITERATORS[: self.number]]
        x = [f"{self.extent[loop]} + 1" for loop in self.loops]
        head = f"int n, int m, {self.kind} y{self.brackets(y)}, const {self.kind} x{self.brackets(x)}"
        text = "\n".join([f"void {self.name}({head})", "{", *lines, "}", ""])
        return Case(self.name, text, SIZES, self.name)

    @staticmethod
    def brackets(subscripts: list[str]) -> str:
        return "".join(f"[{text}]" for text in subscripts)

    def body(self) -> list[str]:
        """A store or a sum of an element, sometimes through a variable or under a condition."""
        y = f"y{self.brackets(list(_ITERATORS[: self.number]))}"
        x = f"x{self.brackets(self.loops)}"
        value = f"{x} + {self.random.choice((1, 3))}"
        tiled = [loop for loop in self.loops if self.is_tiled[loop]]
        if tiled and self.chance(0.12):
            value = f"{value} + {self.random.choice(tiled)}t"
        elif self.chance(0.3):
            value = f"{value} + {self.random.choice(self.loops)}"
        operator = "+=" if self.sums or self.chance(0.3) else "="
        if self.chance(0.2):
            return [f"{self.kind} v = {value};", f"{y} {operator} v;"]
        return [f"if ({x} > 2) {y} {operator} {value};" if self.chance(0.12) else f"{y} {operator} {value};"]


def random_tiles(seeds: range) -> list[Case]:
    """A case per seed."""
    return [RandomTiles(seed).case() for seed in seeds]
