"""Random C functions whose rows have several loops each, with statements between them: what a team shares row by row.

The functions have the parameters of those in random_nests.py and stay in the same memory. A comment says sizes at which
a row is long, so that a team per row is predicted to gain; they run at small ones.
"""

import random

from support.openmp_ports.random_nests import PARAMETERS

_SHAPES = ("matrix", "matrix", "rows", "planes", "columns")
"""Where the rows are: in `B`, in `y` one behind the other, in `y` by two subscripts, in `y` side by side."""
_LENGTHS = {
    "matrix": ("m", "m", "m - 1"),
    "rows": ("40", "99", "64"),
    "planes": ("11", "9", "12"),
    "columns": ("99", "70", "33"),
}


class RandomRows:
    """Writes one function; the seed decides everything."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.name = f"nest_{seed}"
        self.shape = self.chance.choice(_SHAPES)
        self.lengths = _LENGTHS[self.shape] if self.chance.random() < 0.2 else (self.pick(*_LENGTHS[self.shape]),)
        self.outside = self.chance.random() < 0.4
        self.iterators_outside = self.chance.random() < 0.25

    def pick(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def text(self) -> str:
        """The function; the nest ends with a line `/* end */`."""
        scalars = "double s = 0.5, t = 0.25, u = 1;\nint c = 3;\n"
        iterators = "int i, j, h, g, q;\n" if self.iterators_outside else ""
        said = self.pick(
            "n = 300, m = 500, k = 2000", "n = 5000, m = 300, k = 40", "n = 60, m = 3000, k = 700", "n = 200"
        )
        own = "" if self.outside else "double s = 0, t = 0.25, u = 1;\nint c = 0;\n"
        inner = "".join(self.part() for _ in range(self.chance.choice((1, 2, 2, 3, 4))))
        rows = "9" if self.shape == "columns" else self.pick("n", "n", "n", "n - 1")
        body = f"{self.loop('i', rows)} {{\n{own}{inner}}}\n"
        if self.shape == "planes":
            between = self.pick("", "", "", "u = z[i];\n")
            rows = f"{self.loop('j', self.pick('5', '9'))} {{\n{own}{inner}}}\n"
            head = f"double u = 1;\n{between}" if between and not self.outside else between
            body = f"{self.loop('i', 'n')} {{\n{head}{rows}}}\n"
        if self.chance.random() < 0.1:
            body = f"for (int e = 0; e < 2; e++) {{\n{body}}}\n"
        return (
            f"// warplens: {said}\ndouble {self.name}({PARAMETERS})\n{{\n{scalars}{iterators}{body}/* end */\n"
            "return 0.5;\n}\n"
        )

    def loop(self, name: str, limit: str, start: str = "0") -> str:
        declared = "" if self.iterators_outside else "int "
        step = self.pick(f"{name}++", f"++{name}", f"{name} += 1")
        if self.chance.random() < 0.06:
            return f"for ({declared}{name} = {limit} - 1; {name} >= {start}; {name}--)"
        return (
            f"for ({declared}{name} = {start}; {name} {self.pick('<', '<', '<', '<', '<', '<', '!=')} {limit}; {step})"
        )

    def at(self, index: str) -> str:
        """An element of the row."""
        return {
            "matrix": f"B[i][{index}]",
            "rows": f"y[i * 100 + {index}]",
            "planes": f"y[(i * 9 + j) * 12 + {index}]",
            "columns": f"y[{index} * 10 + i]",
        }[self.shape]

    def share(self) -> str:
        """The header of a loop that a team may share, over `h`."""
        form, length = self.chance.random(), self.pick(*self.lengths)
        if form < 0.05:
            return self.loop("h", length, "w[i]").replace("!=", "<")
        if form < 0.1 and self.shape != "matrix":
            return self.loop("h", "w[i + 1]").replace("!=", "<")
        if form < 0.2:
            return self.loop("h", length, "1").replace("!=", "<")
        if form < 0.3:
            declared = "" if self.iterators_outside else "int "
            return f"for ({declared}h = 0; h < {length}; h += {self.pick('2', '3')})"
        return self.loop("h", length)

    def value(self) -> str:
        return self.pick(
            "x[h]", "x[h]", "z[h] * x[i]", "u * x[h]", "x[h] + t", "x[h] - 0.5 * i", f"{self.at('h')} + x[h]",
            *(("A[i][h] * x[h]", "u * A[i][h]") if self.shape == "matrix" else ("z[h]", "x[h + i]")),
        )  # fmt: skip

    def part(self) -> str:
        kind = self.chance.random()
        share, value = self.share(), self.value()
        if kind < 0.14:
            return self.pick("u = z[i];\n", "t = u * 0.5 + i;\n", "u = x[i] > 0.25 ? 2 : 0.5;\n")
        if kind < 0.3:
            return f"{share}\n{self.at('h')} {self.pick('=', '+=')} {value};\n"
        if kind < 0.46:
            start = self.pick("s = 0;\n", "s = z[i];\n")
            end = self.pick(f"{self.at('0')} = s;\n", "u = 0.25 * s;\n")
            return f"{start}{share}\ns {self.pick('+=', '+=', '-=')} {value};\n{end}"
        if kind < 0.54:
            start, end = f"s = {self.at('0')};\n", f"{self.at('0')} = s;\n"
            body = self.pick("if (x[h] > s) s = x[h];", "s = z[h] < s ? z[h] : s;", "if (s < x[h]) s = x[h];")
            return f"{start}{share} {{\n{body}\n}}\n{end}"
        if kind < 0.62:
            body = self.pick("c += w[h];", "c ^= w[h];", "c |= w[h];", "if (x[h] > 0.5) c++;")
            return f"c = {self.pick('0', '3')};\n{share}\n{body}\n{self.at('0')} = c;\n"
        if kind < 0.72:
            return f"{share} {{\nt = {value};\n{self.at('h')} = t * t;\n}}\n"
        if kind < 0.8:
            return f"{share}\n{self.at('0')} += {self.pick('x[h]', 'z[h] * x[i]')};\n"
        if kind < 0.88:
            around = self.loop("q", self.pick("2", "3"))
            return f"{around}\n{share}\n{self.at('h')} += x[q] * z[h];\n"
        if kind < 0.95:
            inner = self.loop("g", "3")
            return f"{share} {{\nu = 0;\n{inner}\nu += x[h] * z[g];\n{self.at('h')} = u;\n}}\n"
        return f"if ({self.pick('w[i] > 3', 'i > 1', 'u > 0')}) {{\n{share}\n{self.at('h')} = {value};\n}}\n"


def random_rows(seeds: range) -> list[str]:
    """One function per seed."""
    return [RandomRows(seed).text() for seed in seeds]
