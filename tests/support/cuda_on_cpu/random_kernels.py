"""Random C functions with a nest that is mostly parallel, and whose arrays are as long as their subscripts reach.

Each is a case of its own: the same seed makes the same text on every machine.
"""

from __future__ import annotations

from random import Random

from support.cuda_on_cpu.case import Case

SIZES = ({"n": 0, "m": 0}, {"n": 1, "m": 1}, {"n": 2, "m": 9}, {"n": 13, "m": 6}, {"n": 37, "m": 21})
_FLOATS = ("float", "float", "float", "double", "double")
_INTEGERS = (
    "int",
    "int",
    "unsigned",
    "long",
    "short",
    "unsigned char",
    "signed char",
    "unsigned short",
    "unsigned long",
)
_NAMES = "abcdexyzuvw"


class Array:
    """One array: its extents grow with the subscripts that it gets."""

    def __init__(self, name: str, kind: str, dimensions: int, *, is_linear: bool) -> None:
        self.name = name
        self.kind = kind
        self.is_linear = is_linear
        self.symbols: list[set[str]] = [set() for _ in range(dimensions)]
        self.more = [0] * dimensions
        self.row = ""

    def extent(self, dimension: int) -> str:
        """Elements of a dimension, in C."""
        return " + ".join([*sorted(self.symbols[dimension]), str(self.more[dimension])])

    def reach(self, dimension: int, symbol: str, more: int) -> None:
        """A subscript that is below `symbol + more`."""
        if symbol:
            self.symbols[dimension].add(symbol)
        self.more[dimension] = max(self.more[dimension], more)

    @property
    def is_used(self) -> bool:
        """Whether there is any subscript."""
        return any(self.more) or any(self.symbols)

    @property
    def declaration(self) -> str:
        """As a parameter."""
        if self.is_linear:
            return f"{self.kind} *restrict {self.name}"
        return f"{self.kind} {self.name}" + "".join(f"[{self.extent(d)}]" for d in range(len(self.more)))

    @property
    def length(self) -> str:
        """Elements, in C."""
        return " * ".join(f"({self.extent(d)})" for d in range(len(self.more)))


class RandomKernel:
    """Writes one function. `seed` decides everything."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.name = f"nest_{seed}"
        self.lines: list[str] = []
        self.depth = 1
        self.arrays: list[Array] = []
        self.fills: dict[str, str] = {}
        self.limits: dict[str, tuple[str, int]] = {}
        """Of each iterator: it is below symbol + number."""
        self.counted: set[str] = set()
        self.scalars: list[tuple[str, str]] = []
        self.terms = ""

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def put(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def case(self) -> Case:
        """The function as a case."""
        result = ""
        kind = self.random.random()
        dimensions = self.random.choice((1, 1, 2, 2, 2, 3))
        outputs = [self.array(dimensions) for _ in range(self.random.choice((1, 1, 1, 2)))]
        self.inputs = [
            self.array(self.random.choice((1, 1, 2, 2, dimensions))) for _ in range(self.random.choice((1, 2, 3)))
        ]
        if kind < 0.12:
            result = self.reduction(dimensions)
        elif kind < 0.17:
            self.histogram()
        else:
            self.parallel(dimensions, outputs)
        source = "#include <math.h>\n" + self.function(result)
        lengths = {array.name: array.length for array in self.arrays if array.is_linear and array.is_used}
        return Case(self.name, source, SIZES, self.name, "", lengths, self.fills, self.terms)

    def function(self, result: str) -> str:
        """The whole text; linear arrays know their rows only now."""
        body = "\n".join(self.lines)
        for array in self.arrays:
            if array.is_linear:
                body = body.replace(f"<row of {array.name}>", f"({array.extent(1)})" if len(array.more) > 1 else "1")
        parameters = ", ".join(
            ["int n, int m, float scale", *(array.declaration for array in self.arrays if array.is_used)]
        )
        return f"{result or 'void'} {self.name}({parameters})\n{{\n{body}\n}}\n"

    def array(self, dimensions: int, kind: str = "") -> Array:
        """A new parameter."""
        kind = kind or self.random.choice((*_FLOATS, self.random.choice(_INTEGERS)))
        is_linear = (dimensions == 1 and self.chance(0.5)) or (dimensions == 2 and self.chance(0.35))
        made = Array(_NAMES[len(self.arrays)], kind, dimensions, is_linear=is_linear)
        self.arrays.append(made)
        return made

    # Loops

    def open_loop(self, iterator: str) -> None:
        """`for (...) {` around what follows, over a range that starts at 0 or above."""
        outer = [name for name in self.limits if name in self.counted]
        limit, symbol, more = self.random.choice(
            (
                ("n", "n", 0),
                ("m", "m", 0),
                ("n", "n", 0),
                ("m", "m", 0),
                ("n - 1", "n", -1),
                ("m - 2", "m", -2),
                ("7", "", 7),
                ("n + 2", "n", 2),
            )
        )
        start = self.random.choice(("0", "0", "0", "1", "2"))
        if outer and self.chance(0.15):
            other = self.random.choice(outer)
            symbol, more = self.limits[other]
            limit = self.random.choice((f"{other} + 1", other))
        elif outer and self.chance(0.08):
            start = self.random.choice(outer)
        kind = self.random.random()
        declared = self.random.choice(("int", "int", "int", "int", "long", "short" if symbol == "" else "int"))
        if kind < 0.72:
            step = self.random.choice((f"{iterator}++", f"++{iterator}"))
            header = f"{declared} {iterator} = {start}; {iterator} < {limit}; {step}"
        elif kind < 0.82:
            header = (
                f"{declared} {iterator} = {start}; {iterator} < {limit}; {iterator} += {self.random.choice((2, 3))}"
            )
        elif kind < 0.9:
            header = f"{declared} {iterator} = {limit} - 1; {iterator} >= {start}; {iterator}--"
        elif kind < 0.95:
            header = f"{declared} {iterator} = {start}; {iterator} <= {limit} - 1; {iterator}++"
        else:
            header = f"{declared} {iterator} = {start}; {iterator} < {limit} && {iterator} < 11; {iterator}++"
        self.limits[iterator] = (symbol, more)
        self.counted.add(iterator)
        self.put(f"for ({header}) {{")
        self.depth += 1

    def close_loop(self, iterator: str) -> None:
        self.depth -= 1
        self.put("}")
        del self.limits[iterator]
        self.counted.discard(iterator)

    def parallel(self, dimensions: int, outputs: list[Array]) -> None:
        """A band of loops that each write their own elements, and what happens inside."""
        is_around = self.chance(0.1)
        if is_around:
            self.put("for (int t = 0; t < 3; t++)")
        grid = ["i", "j", "k"][:dimensions]
        placed = {output.name: self.placing(grid) for output in outputs}
        for iterator in grid[:-1]:
            self.open_loop(iterator)
        if dimensions > 1 and self.chance(0.25):
            self.scalar(grid[:-1])
        self.open_loop(grid[-1])
        targets = {output.name: self.target(output, placed[output.name]) for output in outputs}
        self.body(grid, outputs, targets)
        for iterator in reversed(grid):
            self.close_loop(iterator)

    def placing(self, grid: list[str]) -> list[tuple[str, int, int]]:
        """For each dimension its iterator, factor and offset: all iterators, in any order, so that no two meet."""
        order = list(grid)
        if self.chance(0.3):
            self.random.shuffle(order)
        return [
            (iterator, self.random.choice((1, 1, 1, 1, 2)), self.random.choice((0, 0, 0, 1, 3))) for iterator in order
        ]

    def target(self, output: Array, placed: list[tuple[str, int, int]]) -> str:
        return self.element(output, [self.subscript(output, d, *where) for d, where in enumerate(placed)])

    def subscript(self, array: Array, dimension: int, iterator: str, factor: int, offset: int) -> str:
        """`factor * iterator + offset`, for which the array has room."""
        symbol, more = self.limits[iterator]
        for _ in range(factor if symbol else 1):
            array.reach(dimension, f"{factor} * {symbol}" if factor > 1 and symbol else symbol, 0)
        array.reach(dimension, "", max(1, factor * more) + offset)
        text = iterator if factor == 1 else f"{factor} * {iterator}"
        return f"{text} + {offset}" if offset else text

    def element(self, array: Array, subscripts: list[str]) -> str:
        if array.is_linear and len(subscripts) == 2:
            return f"{array.name}[({subscripts[0]}) * <row of {array.name}> + {subscripts[1]}]"
        return array.name + "".join(f"[{text}]" for text in subscripts)

    # Statements

    def body(self, grid: list[str], outputs: list[Array], targets: dict[str, str]) -> None:
        names = list(grid)
        if self.chance(0.12):
            self.put(f"if ({self.condition(names)}) continue;")
        for _ in range(self.random.choice((0, 0, 1, 2))):
            self.scalar(names)
        if self.chance(0.45):
            self.accumulate(names)
        for output in outputs:
            operator = self.random.choice(("=", "=", "=", "+=", "-=", "*=" if output.kind in _FLOATS else "^="))
            line = f"{targets[output.name]} {operator} {self.value(names, self.is_integer(output.kind))};"
            kind = self.random.random()
            if kind < 0.15:
                self.put(f"if ({self.condition(names)})")
                self.put(f"    {line}")
            elif kind < 0.22:
                self.put(f"if ({self.condition(names)}) {{")
                self.put(f"    {line}")
                self.put(f"}} else {targets[output.name]} = {self.value(names, self.is_integer(output.kind))};")
            else:
                self.put(line)
            if self.chance(0.1):
                self.put(f"{targets[output.name]} += {self.random.choice(names)};")
        self.scalars = [s for s in self.scalars if s[0] not in {"s", "t", "r"}]

    def scalar(self, names: list[str]) -> None:
        """A variable of the iteration."""
        free = [name for name in "st" if name not in {known for known, _ in self.scalars}]
        if not free:
            return
        kind = self.random.choice(("float", "double", "int", "unsigned char", "long", "short"))
        self.put(f"{kind} {free[0]} = {self.value(names, self.is_integer(kind))};")
        self.scalars.append((free[0], kind))

    def accumulate(self, names: list[str]) -> None:
        """A sequential loop into a variable."""
        if "r" in {known for known, _ in self.scalars}:
            return
        kind = self.random.choice(("float", "double", "int", "long"))
        self.put(f"{kind} r = {self.value(names, self.is_integer(kind))};")
        self.open_loop("l")
        inside = [*names, "l"]
        if self.chance(0.15):
            self.put(f"if ({self.condition(inside)}) continue;")
        if self.chance(0.06):
            self.put(f"if ({self.condition(inside)}) break;")
        self.put(f"r {self.random.choice(('+=', '+=', '-='))} {self.value(inside, self.is_integer(kind))};")
        if self.chance(0.2):
            self.open_loop("h")
            self.put(f"r += {self.value([*inside, 'h'], self.is_integer(kind))};")
            self.close_loop("h")
        self.close_loop("l")
        self.scalars.append(("r", kind))

    def reduction(self, dimensions: int) -> str:
        """A result of all iterations; sums are of integers so that any order gives the same, or of floats."""
        kind = self.random.choice(("int", "long", "double", "float", "unsigned"))
        is_integer = self.is_integer(kind)
        update = self.random.choice(("r += V;", "r += V;", "r -= V;", "if (V > r) r = V;", "r = V < r ? V : r;"))
        if is_integer and self.chance(0.3):
            update = self.random.choice(("r ^= V;", "r |= V;", "r &= V;"))
        self.put(f"{kind} r = {self.random.choice((0, 1, 7))};")
        grid = ["i", "j", "k"][:dimensions]
        for iterator in grid:
            self.open_loop(iterator)
        if self.chance(0.3):
            self.put(f"if ({self.condition(grid)})")
        is_sum = not is_integer and update[2] in "+-"
        value = self.term(grid) if is_sum else f"({kind})({self.value(grid, is_integer)})"
        self.put(update.replace("V", value))
        for iterator in reversed(grid):
            self.close_loop(iterator)
        self.put("return r;")
        if is_sum:
            self.terms = "(2 * n + m + 20) * (n + 2 * m + 20) * (n + m + 20)"
        return kind

    def histogram(self) -> None:
        """Updates of elements that data chooses."""
        counts, chosen = self.array(1, self.random.choice(("int", "unsigned", "long"))), self.array(1, "int")
        counts.reach(0, "", 11)
        self.open_loop("i")
        where = self.element(chosen, [self.subscript(chosen, 0, "i", 1, 0)])
        self.put(f"{counts.name}[{where}] += {self.value(['i'], True)};")
        self.close_loop("i")

    # Expressions

    @staticmethod
    def is_integer(kind: str) -> bool:
        return kind not in {"float", "double"}

    def read(self, names: list[str]) -> tuple[str, str]:
        """An element of an input and its type."""
        array = self.random.choice(self.inputs)
        wanted = [*names][-3:]
        self.random.shuffle(wanted)
        subscripts = []
        for dimension in range(len(array.more)):
            iterator = wanted[dimension % len(wanted)] if self.chance(0.8) else self.random.choice(names)
            kind = self.random.random()
            if kind < 0.82:
                factor, offset = self.random.choice(((1, 0), (1, 0), (1, 0), (1, 1), (1, 2), (1, 5), (2, 1)))
                subscripts.append(self.subscript(array, dimension, iterator, factor, offset))
            elif kind < 0.9 and len(names) > 1:
                other = self.random.choice(names)
                first = self.subscript(array, dimension, iterator, 1, 0)
                (symbol, more), before = self.limits[other], array.more[dimension]
                array.reach(dimension, f"{symbol} * 1" if symbol else "", 0)
                array.more[dimension] = before + max(1, more)
                subscripts.append(f"{first} + {other}")
            elif kind < 0.95:
                array.reach(dimension, "", 4)
                subscripts.append(self.random.choice(("0", "1", "3")))
            else:
                array.reach(dimension, "", 4)
                subscripts.append(f"{iterator} % 4")
        return self.element(array, subscripts), array.kind

    def value(self, names: list[str], is_integer: bool, depth: int = 0) -> str:
        """An expression; of bounded integers where `is_integer`."""
        kind = self.random.random()
        if depth > 2 or kind < 0.4:
            text, type_ = self.read(names)
            return f"(int)({text} * 10)" if is_integer and not self.is_integer(type_) else text
        if kind < 0.52:
            known = [name for name, type_ in self.scalars if not is_integer or self.is_integer(type_)]
            return self.random.choice(
                [*names, *names, *known, *known, "3", "7", *(() if is_integer else ("scale", "0.5f", "1.25"))]
            )
        one, other = self.value(names, is_integer, depth + 1), self.value(names, is_integer, depth + 1)
        if kind < 0.85:
            return f"({one} {self.random.choice('+-*')} {other})"
        if kind < 0.9:
            return f"({self.condition(names)} ? {one} : {other})"
        if is_integer:
            return self.random.choice(
                (f"{one} / 3", f"{one} % 7", f"({one} & {other})", f"({one} >> 1)", f"-({one})", f"~{one}")
            )
        return self.random.choice(
            (f"{one} / 3", f"-({one})", f"fabsf({one})", f"sqrt(fabs({one}))", f"(float)({one})", f"(int)({other})")
        )

    def term(self, names: list[str]) -> str:
        """Of a sum: absolute values of what it reads give its absolute value."""
        one, other = self.read(names)[0], self.read(names)[0]
        return self.random.choice((one, f"{one} * {other}", f"({one} * {one} + {other})"))

    def condition(self, names: list[str]) -> str:
        one, other = self.random.choice(names), self.random.choice(names)
        text, _ = self.read(names)
        return self.random.choice(
            (
                f"{one} < {other} + 1",
                f"{one} % 2 == 0",
                f"{one} > 3 || {other} == 2",
                f"{text} > 1",
                f"{one} + {other} < n",
                f"!({one} & 1) && {text} < 2",
            )
        )


def random_cases(seeds: range) -> list[Case]:
    """A case per seed."""
    return [RandomKernel(seed).case() for seed in seeds]
