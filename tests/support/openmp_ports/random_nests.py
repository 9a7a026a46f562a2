"""Random C functions with a nest each, which read and write through pointers: what people give to a GPU.

Every subscript stays between 0 and `REACH` for sizes up to `MOST`, where no condition forbids it; the functions return
what their scalars hold after the nest.
"""

import random

MOST = 9
REACH = 1024
PARAMETERS = (
    "int n, int m, int k, double *restrict x, double *restrict y, double *restrict z, int *restrict w, int hist[8], "
    "double A[n][m], double B[n][m]"
)


class RandomNest:
    """Writes one function; the seed decides everything."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.name = f"nest_{seed}"
        self.outside = self.chance.random() < 0.25
        self.has_box = False

    def pick(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def text(self) -> str:
        """The function; the nest ends with a line `/* end */`."""
        nest = self.timed() if self.chance.random() < 0.15 else self.loop((), self.chance.choice((1, 1, 2, 2, 2, 3)))
        scalars = "double s = 0.5, t = 0.25, u;\nint c = 3, r = -5;\n"
        iterators = "int i = 1, j = 2, l = 3;\n" if self.outside else ""
        left = self.pick("s + c + r", "s + c + r + t", "s + c + r", "s + c + r + i" if self.outside else "s + c + r")
        box = "double box[4];\n" if self.has_box else ""
        return f"double {self.name}({PARAMETERS})\n{{\n{scalars}{iterators}{box}{nest}/* end */\nreturn {left};\n}}\n"

    def timed(self) -> str:
        """Two sweeps in a loop over time steps."""
        first = self.pick("0", "1")
        lower, upper = ("1", "n - 1") if first == "1" else ("0", "n")
        around = f" + y[{self.pick('q - 1', 'q + 1')}]" if first == "1" else ""
        return (
            f"for (int e = 0; e < {self.pick('k', '3')}; e++) {{\n"
            f"for (int q = {lower}; q < {upper}; q++)\nx[q] = 0.5 * y[q]{around} + e;\n"
            f"for (int q = {lower}; q < {upper}; q++)\ny[q] = x[q] {self.pick('', '* 0.5', '+ z[q]')};\n}}\n"
        )

    def loop(self, names: tuple[str, ...], depth: int) -> str:
        name = ("i", "j", "l")[len(names)]
        declared = "" if self.outside else "int "
        outer = names[-1] if names else ""
        start = self.pick("0", "0", "0", "1", "2", *((outer, f"{outer} + 1") if outer else ()))
        limit = self.pick(
            "n", "n", "m", "k", "n - 1", "m - 2", "8", *((outer, f"{outer} + 1", f"n - {outer}") if outer else ())
        )
        form = self.chance.random()
        if form < 0.6:
            step = self.pick(f"{name}++", f"++{name}", f"{name} += 1")
            header = f"for ({declared}{name} = {start}; {name} < {limit}; {step})"
        elif form < 0.75:
            header = f"for ({declared}{name} = {limit} - 1; {name} >= {start}; {name}--)"
        elif form < 0.85:
            header = f"for ({declared}{name} = {start}; {name} <= {self.pick('n', 'm - 1', 'k')}; {name}++)"
        elif form < 0.95:
            header = f"for ({declared}{name} = 0; {name} < {self.pick('8', '9', 'n')}; {name} += {self.pick('2', '3')})"
        else:
            header = f"for ({declared}{name} = 0; {name} != {self.pick('n', '5')}; {name}++)"
        return f"{header} {{\n{self.body((*names, name), depth - 1)}}}\n"

    def body(self, names: tuple[str, ...], depth: int) -> str:
        if depth and self.chance.random() < 0.65:
            return self.loop(names, depth)
        if depth:
            inner = self.loop(names, depth).replace("y[", "z[") if self.chance.random() < 0.5 else self.sum(names)
            return f"{inner}{self.statement(names)}"
        return "".join(self.statement(names) for _ in range(self.chance.choice((1, 1, 2))))

    def sum(self, names: tuple[str, ...]) -> str:
        """A loop that each iteration runs for itself."""
        iterator = "l" if self.outside else "h"
        declared = "" if self.outside else "int "
        limit = self.pick("m", "k", "4", names[-1], f"{names[0]} + 2")
        subscript = self.subscript((*names, iterator))
        header = f"for ({declared}{iterator} = 0; {iterator} < {limit}; {iterator}++)"
        return f"u = 0;\n{header}\nu += z[{subscript}];\n{self.write(names)} = u;\n"

    def subscript(self, names: tuple[str, ...]) -> str:
        """Something to read at."""
        last, first = names[-1], names[0]
        return self.pick(
            first, last, f"{last} + 1", f"{first} + {last}", f"{first} * m + {last}", f"2 * {first} + {last}",
            f"{first} * 16 + 3 * {last} + 2", f"{MOST} - {first} + {last}", f"{last} * n + {first}", f"{first} + k",
            f"({first} + 1) * m + {last}", f"{first} * {last}",
        )  # fmt: skip

    def value(self, names: tuple[str, ...]) -> str:
        last, first = names[-1], names[0]
        read = f"{self.pick('x', 'z')}[{self.subscript(names)}]"
        return self.pick(
            read, read, f"{read} + z[{self.subscript(names)}]", f"0.5 * {read} - {first}",
            f"({last} > 0 ? x[{last} - 1] : 0.25)", f"({first} + 1 < n && x[{first} + 1] > 0.5 ? 1.5 : 2.5)",
            f"x[w[{first}] & 15] + {read}", "t + 1" if self.chance.random() < 0.1 else read,
        )  # fmt: skip

    def write(self, names: tuple[str, ...]) -> str:
        """An element of which each iteration has its own, mostly."""
        if len(names) == 1:
            return self.pick("y[i]", "y[i]", "y[i + 1]", "y[2 * i]", f"y[{MOST + 2} - i]", "y[3 * i + k]")
        if len(names) == 2:
            return self.pick(
                "y[i * m + j]", "y[i * 16 + j]", "y[j * n + i]", "y[i]", "y[16 * j + i]", "y[i * 32 + 2 * j]"
            )
        return self.pick("y[i * 100 + j * 10 + l]", "y[(i * m + j) * k + l]", "y[i * 16 + j]")

    def statement(self, names: tuple[str, ...]) -> str:
        kind = self.chance.random()
        value, target = self.value(names), self.write(names)
        first, last = names[0], names[-1]
        if kind < 0.35:
            return f"{target} {self.pick('=', '=', '+=')} {value};\n"
        if kind < 0.47:
            return f"t = {value};\n{target} = t * t;\n"
        if kind < 0.62:
            return self.pick(
                f"s += {value};\n", f"c += w[{last}];\n", f"if (w[{first}] > r) r = w[{first}];\n",
                f"c ^= w[{first}];\n",
                f"r = w[{first}] < r ? w[{first}] : r;\n", f"c &= w[{last}];\n", f"s -= {value};\n",
            )  # fmt: skip
        if kind < 0.68:
            return f"hist[w[{first}] & 7] += {self.pick('1', '2', 'w[' + last + ']')};\n"
        if kind < 0.74:
            self.has_box = True
            return f"box[0] = {value};\nbox[1] = box[0] + {first};\n{target} = box[1];\n"
        if kind < 0.84:
            condition = self.pick(
                f"{first} > 1", f"{last} + 2 < n", f"x[{first}] > 0.5", f"w[{last}] & 1", f"{first} != {last}"
            )
            return f"if ({condition})\n{target} = {value};\n"
        if kind < 0.94 and len(names) == 2:
            return f"if (i < n && j < m)\nB[i][j] = A[i][j] + {value};\n"
        return f"{target} = {value};\n{self.pick('c += 1', 'if (w[i] > 4) c++', 'c++')};\n"


def random_nests(seeds: range) -> list[str]:
    """One function per seed."""
    return [RandomNest(seed).text() for seed in seeds]
