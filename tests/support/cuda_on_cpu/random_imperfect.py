"""Random imperfect nests: rows with scalars and several inner loops, which mappings spread, distribute and reorder.

Sums are of integers, or of doubles that only addition, products and the maximum of what is read make; the same seed
makes the same text.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.random_kernels import Array

SIZES = ({"n": 0, "m": 0}, {"n": 1, "m": 1}, {"n": 2, "m": 9}, {"n": 3, "m": 70}, {"n": 19, "m": 33})
_INTEGERS = ("int", "int", "int", "unsigned", "long")


@dataclass(frozen=True)
class Columns:
    """A loop over columns: all its `iterator` takes is below symbol + `more`; `end` is one beyond the last, in C."""

    iterator: str
    header: str
    symbol: str
    more: int
    end: str


class RandomImperfect:
    """Writes one function. `seed` decides everything."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"imperfect {seed}")
        self.name = f"imperfect_{seed}"
        self.is_float = self.random.random() < 0.25
        self.kind = "double" if self.is_float else self.random.choice(_INTEGERS)
        self.lines: list[str] = []
        self.depth = 1
        self.arrays: list[Array] = []
        self.declared: list[str] = []
        self.fills: dict[str, str] = {}
        self.lengths: dict[str, str] = {}
        self.rows = ["b", "i"] if self.chance(0.3) else ["i"]
        self.bounds = {"b": ("", 3), "i": self.random.choice((("n", 0), ("n", 0), ("m", 0), ("", 7)))}
        self.scalars: list[str] = []
        self.headers: list[Columns] = []
        self.has_tail = False

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def put(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def open(self, line: str) -> None:
        self.put(f"{line} {{")
        self.depth += 1

    def close(self) -> None:
        self.depth -= 1
        self.put("}")

    def case(self) -> Case:
        """The function as a case."""
        self.inputs = [self.array("x", 2), self.array("w", 1), self.array("z", self.random.choice((1, 2)))]
        self.results = [self.array(name, len(self.rows)) for name in "yq"]
        self.temporaries = [self.array(name, len(self.rows) + 1) for name in ("t", "u", "v")]
        self.written: list[Array] = []
        if self.chance(0.06):
            self.open("for (int h = 0; h < 2; h++)")
        if len(self.rows) == 2:
            self.open("for (int b = 0; b < 3; b++)")
            if self.chance(0.3):
                self.scalar(rows=["b"])
        self.open(self.row_header())
        if self.chance(0.12):
            self.put(f"if ({self.condition(self.rows)}) continue;")
        for _ in range(self.random.choice((2, 3, 3, 4, 5))):
            self.phase()
        if not self.has_tail or self.chance(0.5):
            self.tail()
        while self.depth > 1:
            self.close()
        return Case(
            self.name, self.text(), SIZES, self.name, "", self.lengths, self.fills, "64 * (n + m + 8) * (n + m + 8)"
            if self.is_float else "",
        )  # fmt: skip

    def text(self) -> str:
        """The whole function."""
        body = "\n".join(self.lines)
        used = [array for array in self.arrays if array.is_used]
        for array in used:
            if array.is_linear and len(array.more) == 2:
                body = body.replace(f"<row of {array.name}>", f"({array.extent(1)})")
            if array.is_linear and array.name not in self.lengths:
                self.lengths[array.name] = array.length
        parameters = ", ".join(["int n, int m", *(array.declaration for array in used), *self.declared])
        return f"#include <math.h>\n#include <stddef.h>\nvoid {self.name}({parameters})\n{{\n{body}\n}}\n"

    def array(self, name: str, dimensions: int, kind: str = "") -> Array:
        is_linear = dimensions < 3 and self.chance(0.08)
        made = Array(name, kind or self.kind, dimensions, is_linear=is_linear)
        self.arrays.append(made)
        return made

    def row_header(self) -> str:
        symbol, more = self.bounds["i"]
        limit = symbol or str(more)
        if self.chance(0.1):
            return f"for (int i = {limit} - 1; i >= 0; i--)"
        if self.chance(0.08):
            return f"for (int i = 0; i < {limit}; i += 2)"
        if self.chance(0.08):
            return f"for (long i = 0; i < {limit}; i++)"
        return f"for (int i = {self.random.choice('0001')}; i < {limit}; i++)"

    # Loops over columns

    def columns(self, iterator: str) -> Columns:
        """A new range, or one that was used before, so that phases share one."""
        if self.headers and self.chance(0.5):
            known = self.random.choice(self.headers)
            if known.iterator == iterator:
                return known
        found = self.new_columns(iterator)
        self.headers.append(found)
        return found

    def new_columns(self, iterator: str) -> Columns:
        ranges = (("m", "m", 0), ("m", "m", 0), ("m", "m", 0), ("n", "n", 0), ("m - 1", "m", -1), ("m + 2", "m", 2),
                  ("40", "", 40), ("n + m", "n + m", 0))  # fmt: skip
        end, symbol, more = self.random.choice(ranges)
        start = self.random.choice(("0", "0", "0", "1", "2"))
        row = self.rows[-1]
        is_triangle = self.chance(0.15)
        if is_triangle and self.chance(0.5):
            (symbol, more), end = self.bounds[row], f"{row} + 1"
        elif is_triangle:
            start = row
        kind = self.random.random()
        declared = self.random.choice(("int",) * 5 + ("long", "unsigned", "size_t", "short" if end == "40" else "int"))
        if declared in {"unsigned", "size_t"} and (is_triangle or "-" in end or "+" in end):
            declared = "int"
        step = self.random.choice((2, 3))
        if kind < 0.62:
            text = f"{declared} {iterator} = {start}; {iterator} < {end}; {iterator}++"
        elif kind < 0.74:
            text = f"{declared} {iterator} = {start}; {iterator} < {end}; {iterator} += {step}"
        elif kind < 0.82:
            if declared in {"unsigned", "size_t"}:
                text = f"{declared} {iterator} = {end}; {iterator}-- > 0;"
            else:
                text = f"{declared} {iterator} = {end} - 1; {iterator} >= {start}; {iterator}--"
        elif kind < 0.87 and declared not in {"unsigned", "size_t"}:
            text = f"{declared} {iterator} = {end} - 1; {iterator} >= {start}; {iterator} -= {step}"
        elif kind < 0.92 and not is_triangle and end in "nm40":
            text = f"int {iterator} = 0; {iterator} != {end}; {iterator}++"
        elif kind < 0.96:
            text = f"int {iterator} = {start}; {iterator} <= {end} - 1; {iterator}++"
        else:
            text = f"int {iterator} = {start}; {iterator} < {end} && {iterator} < 35; {iterator}++"
        return Columns(iterator, f"for ({text})", symbol, more, end)

    # Phases

    def phase(self, inside: int = 0) -> None:
        """One statement of a row: scalars, sums, elements that later loops read, loops in order, branches."""
        kind = self.random.random()
        if kind < 0.16:
            self.scalar(self.rows)
        elif kind < 0.44:
            self.sum()
        elif kind < 0.64:
            self.elements()
        elif kind < 0.73:
            self.nested()
        elif kind < 0.84:
            self.in_order()
        elif kind < 0.93 and inside < 1:
            self.open(f"if ({self.condition(self.rows)})")
            known = list(self.scalars)
            for _ in range(self.random.choice((1, 1, 2))):
                self.phase(inside + 1)
            self.scalars = known
            self.close()
            if self.chance(0.3):
                self.lines[-1] += " else {"
                self.depth += 1
                self.phase(inside + 1)
                self.scalars = known
                self.close()
        elif kind < 0.97:
            self.sparse()
        else:
            self.tail()

    def scalar(self, rows: list[str]) -> None:
        """A variable of the row, perhaps changed under a condition."""
        free = [name for name in ("s", "r", "p") if name not in self.scalars]
        if free:
            self.put(f"{self.kind} {free[0]} = {self.value(rows)};")
            self.scalars.append(free[0])
            if self.chance(0.3):
                self.put(f"if ({self.condition(rows)}) {free[0]} = {self.value(rows)};")
        elif self.chance(0.5):
            self.put(f"{self.random.choice(self.scalars)} = {self.value(rows)};")

    def sum(self) -> None:
        """One or two reductions in a loop."""
        columns = self.columns(self.random.choice("jk"))
        names = [*self.rows, columns.iterator]
        updates = [self.reduction(names, columns)]
        if self.chance(0.25):
            updates.append(self.reduction(names, columns))
        self.open(columns.header)
        if self.chance(0.08):
            self.put(f"if ({self.condition(names, columns)}) continue;")
        for update in updates:
            is_guarded = self.chance(0.15)
            if is_guarded:
                self.put(f"if ({self.condition(names, columns)})")
            self.put(f"    {update}" if is_guarded else update)
        self.close()

    def reduction(self, names: list[str], columns: Columns) -> str:
        """What accumulates, set before."""
        value = self.value(names, columns)
        if self.chance(0.25):
            target = self.element(self.random.choice(self.results), [(row, 0) for row in self.rows])
            self.has_tail = True
        elif self.chance(0.25) and self.scalars:
            target = self.random.choice(self.scalars)
        else:
            free = [name for name in ("s", "r", "p", "g", "e", "f") if name not in self.scalars]
            if not free:
                return f"{self.random.choice(self.scalars)} += {value};"
            target = free[0]
            self.put(f"{self.kind} {target} = {self.random.choice(('0', '0', '0', '1', self.value(self.rows)))};")
            self.scalars.append(target)
        return self.accumulated(target, value)

    def accumulated(self, target: str, value: str) -> str:
        if self.is_float:
            largest = (
                f"if ({value} > {target}) {target} = {value};",
                f"{target} = fmax({target}, {value});",
                f"{target} = {target} > {value} ? {target} : {value};",
            )
            return self.random.choice((f"{target} += {value};",) * 6 + (f"{target} = {target} + {value};", *largest))
        kinds = [f"{target} {operator}= {value};" for operator in ("+", "+", "+", "+", "-", "*", "|", "^", "&")]
        kinds += [
            f"if ({value} < {target}) {target} = {value};",
            f"{target} = {value} > {target} ? {value} : {target};",
            f"{target} = {target} + {value};",
            f"if ({target} < {value}) {{ {target} = {value}; }}",
        ]
        return self.random.choice(kinds)

    def elements(self) -> None:
        """Elements of a row that later loops read."""
        columns = self.columns("j")
        target = self.random.choice(self.temporaries)
        names = [*self.rows, "j"]
        self.open(columns.header)
        if self.chance(0.2):
            self.put(f"{self.kind} c = {self.value(names, columns)};")
            self.scalars.append("c")
        if self.chance(0.12):
            self.put(f"{self.kind} o[3];")
            self.put(f"for (int e = 0; e < 3; e++) o[e] = {self.value(names, columns)} + e;")
            self.scalars.append("o[2]")
        shift = self.random.choice((0, 0, 0, 0, 1))
        line = f"{self.at(target, columns, shift)} {self.random.choice(('=', '=', '=', '+='))} "
        line += f"{self.value(names, columns)};"
        if self.chance(0.15):
            self.put(f"if ({self.condition(names, columns)})")
            line = f"    {line}"
        self.put(line)
        if self.chance(0.15):
            other = self.random.choice(self.temporaries)
            self.put(f"{self.at(other, columns, 0)} = {self.value(names, columns)};")
        self.close()
        self.scalars = [name for name in self.scalars if name not in {"c", "o[2]"}]
        self.written.append(target)
        self.has_tail = True

    def nested(self) -> None:
        """A sum in each iteration of a loop over columns."""
        outer, inner = self.columns("j"), self.new_columns("l")
        target = self.random.choice(self.temporaries)
        self.open(outer.header)
        self.put(f"{self.kind} d = {self.random.choice(('0', self.value([*self.rows, 'j'], outer)))};")
        self.open(inner.header)
        exact = self.inputs if self.is_float else None  # a product of sums of products would be rounded
        self.put(f"d += {self.read(outer, exact)} * {self.read(inner, exact)};")
        self.close()
        self.scalars.append("d")
        self.put(f"{self.at(target, outer, 0)} = {self.value([*self.rows, 'j'], outer)};")
        self.scalars.remove("d")
        self.close()
        self.written.append(target)
        self.has_tail = True

    def in_order(self) -> None:
        """A loop in order around loops over columns."""
        kind = self.random.random()
        columns = self.columns("j")
        target, other = self.random.sample(self.temporaries, 2)
        if kind < 0.5:
            inner = self.new_columns("l")
            self.open(inner.header)
            if self.chance(0.3):
                self.put(f"{self.kind} d = {self.read(inner)};")
                self.scalars.append("d")
            self.open(columns.header)
            exact = self.inputs if self.is_float else None
            factor = self.read(inner, exact) if self.is_float or self.chance(0.6) else self.value(self.rows)
            self.put(f"{self.at(target, columns, 0)} += {factor} * {self.read(columns, self.inputs)};")
            self.close()
            if self.chance(0.4):  # another part, which may need what the first one has done, or the other way round
                columns = self.columns("j")
                self.open(columns.header)
                value = self.read(columns, self.inputs if self.is_float or self.chance(0.7) else None)
                self.put(f"{self.at(other, columns, 0)} += {value};")
                self.close()
                self.written.append(other)
            self.scalars = [name for name in self.scalars if name != "d"]
        else:
            self.open(f"for (int l = 1; l < {self.random.choice((3, 4, 5))}; l++)")
            self.open(columns.header)
            back = f"(j >= l ? {self.at(target, columns, 0).replace('j', 'j - l')} : 1)"
            self.put(f"{self.at(other, columns, 0)} = {self.at(target, columns, 0)} + {back};")
            self.close()
            if self.chance(0.8):
                behind = columns if self.chance(0.7) else self.new_columns("j")
                self.open(behind.header)
                self.put(f"{self.at(target, behind, 0)} = {self.at(other, behind, 0)};")
                self.close()
            self.written.append(other)
        if self.chance(0.2):
            self.tail()
        self.close()
        self.written.append(target)
        self.has_tail = True

    def sparse(self) -> None:
        """A row of a matrix in compressed rows."""
        if len(self.rows) > 1 or self.bounds["i"] != ("n", 0) or self.fills or "g" in self.scalars:
            return
        self.fills = {"first": "rows 6 * n", "index": "index n + m + 1"}
        self.declared += ["int first[n + 1]", "int index[6 * n]", f"{self.kind} value[6 * n]"]
        for symbol in "nm":
            self.inputs[1].reach(0, symbol, 1)
        self.put(f"{self.kind} g = 0;")
        self.open("for (int k = first[i]; k < first[i + 1]; k++)")
        self.put(f"g += value[k] * {self.inputs[1].name}[index[k]];")
        self.close()
        self.scalars.append("g")

    def tail(self) -> None:
        """A result of the row."""
        target = self.element(self.random.choice(self.results), [(row, 0) for row in self.rows])
        self.put(f"{target} {self.random.choice(('=', '=', '+='))} {self.value(self.rows)};")
        self.has_tail = True

    # Expressions

    def at(self, array: Array, columns: Columns, shift: int) -> str:
        """The row's element in a column."""
        array.reach(len(array.more) - 1, columns.symbol, max(1, columns.more) + shift)
        text = f"{columns.iterator} + {shift}" if shift else columns.iterator
        return self.element(array, [*((row, 0) for row in self.rows)], text)

    def element(self, array: Array, rows: list[tuple[str, int]], column: str = "") -> str:
        subscripts: list[str] = []
        for dimension, (row, shift) in enumerate(rows):
            symbol, more = self.bounds[row]
            array.reach(dimension, symbol, max(1, more) + shift)
            subscripts.append(row)
        subscripts += [column] if column else []
        if array.is_linear and len(subscripts) == 2:
            return f"{array.name}[({subscripts[0]}) * <row of {array.name}> + {subscripts[1]}]"
        return array.name + "".join(f"[{text}]" for text in subscripts)

    def read(self, columns: Columns | None = None, arrays: list[Array] | None = None) -> str:
        """An element of what is read only, or of what an earlier loop of the row wrote."""
        if arrays is None and self.written and self.chance(0.45):
            array = self.random.choice(self.written)
            if columns is None:
                array.reach(len(array.more) - 1, "", 2)
                return self.element(array, [(row, 0) for row in self.rows], self.random.choice("01"))
            if not columns.header.startswith("for (short") and self.chance(0.12):
                reverse = f"{columns.end} - 1 - {columns.iterator}"
                array.reach(len(array.more) - 1, columns.symbol, max(1, columns.more))
                if not columns.end.endswith("+ 1") and "size_t" not in columns.header:
                    return self.element(array, [(row, 0) for row in self.rows], reverse)
            return self.at(array, columns, self.random.choice((0, 0, 0, 1, 2)))
        if arrays is None and self.chance(0.1):
            return self.element(self.random.choice(self.results), [(row, 0) for row in self.rows])
        array = self.random.choice(arrays or self.inputs)
        column = columns.iterator if columns is not None else self.random.choice(self.rows)
        symbol, more = (columns.symbol, columns.more) if columns is not None else self.bounds[column]
        shift = self.random.choice((0, 0, 0, 1))
        array.reach(len(array.more) - 1, symbol, max(1, more) + shift)
        text = f"{column} + {shift}" if shift else column
        if len(array.more) == 1:
            return f"{array.name}[{text}]"
        return self.element(array, [(self.rows[-1], 0)], text)

    def value(self, names: list[str], columns: Columns | None = None, depth: int = 0) -> str:
        """Of the kind; sums and products of what is read where that is a double."""
        kind = self.random.random()
        known = self.scalars
        if depth > 1 or kind < 0.4:
            return self.read(columns)
        if kind < 0.55 and known:
            return self.random.choice(known)
        if kind < 0.62:
            return self.random.choice([*names, "2", "3"])
        one = self.value(names, columns, depth + 1)
        if self.is_float:
            return f"({one} + {self.read(columns)})" if kind < 0.85 else f"{one} * {self.read(columns, self.inputs)}"
        other = self.value(names, columns, depth + 1)
        return f"({one} {self.random.choice('+-*&^')} {other})"

    def condition(self, names: list[str], columns: Columns | None = None) -> str:
        """Of iterators; of data too where numbers are whole."""
        one, other = self.random.choice(names), self.random.choice(names)
        tests = [f"{one} % 3 == 1", f"{one} > {other}", f"{one} + {other} < n", f"{one} % 2 == 0 || {other} > 4"]
        if not self.is_float:
            tests += [f"{self.read(columns)} > 3", f"{self.read(columns)} % 2 == 0"]
            tests += [f"{name} > 5" for name in self.scalars[:1]]
        return self.random.choice(tests)


def random_imperfect(seeds: range) -> list[Case]:
    """A case per seed."""
    return [RandomImperfect(seed).case() for seed in seeds]
