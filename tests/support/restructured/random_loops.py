"""Random C functions with loops that restructuring fixes may look at, in many ways to write them.

Doubles only, subscripts stay in their rows, and `p` has elements only where its function's loops run at all: a run with
sanitizers shows whether a fix touches what the original doesn't.
"""

from __future__ import annotations

import random

DECLARATIONS = """#define WIDTH 24
#define HALF(x) ((x) * 0.5)
double A[WIDTH][WIDTH], B[WIDTH][WIDTH], C[WIDTH][WIDTH];
double u[WIDTH * WIDTH], v[WIDTH * WIDTH], w[WIDTH * WIDTH];
int k[WIDTH * WIDTH];
"""
MOST = 11
"""The largest size a function may be called with; triangles and subscripts reach up to 9 further."""


class RandomLoop:
    """Writes one function `double name(int n, int m, double *restrict p)`. `seed` decides everything."""

    def __init__(self, seed: int, name: str) -> None:
        self.random = random.Random(seed)
        self.name = name
        self.lines: list[str] = []
        self.depth = 1
        self.tab = self.pick("\t", "    ", "  ")
        self.is_allman = self.chance(0.3)
        self.is_outside = self.chance(0.3)
        self.has_comments = self.chance(0.4)
        self.scalars: list[str] = []

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def put(self, line: str) -> None:
        if self.has_comments and self.chance(0.25):
            line += self.pick(" // note", " /* i, j */", " /* { */")
        self.lines.append(self.tab * self.depth + line)

    def text(self) -> str:
        """The whole function."""
        kind = self.random.choice((self.perfect, self.perfect, self.several, self.several, self.sum, self.scratch))
        self.put(self.pick("double s = 0, t = 1;", "double t = 1;\n" + self.tab + "double s = 0;"))
        self.put(self.pick("double z[3], y = 2;", "double z[3] = {0};\n" + self.tab + "double y;"))
        if self.is_outside:
            self.put("int i, j, l;")
        kind()
        self.put(f"return s{self.pick('', '', ' + t')};")
        return f"double {self.name}(int n, int m, double *restrict p)\n{{\n" + "\n".join(self.lines) + "\n}\n"

    def header(self, iterator: str, around: tuple[str, ...] = ()) -> str:
        own = "" if self.is_outside else self.pick("int ", "int ", "int ", "long ", "short ")
        start = self.pick("0", "0", "1", "2", *around)
        limit = self.pick("n", "m", "n", "m", "8", *(f"{a} + 3" for a in around))
        form = self.random.random()
        if form < 0.6:
            step = self.pick(f"{iterator}++", f"++{iterator}", f"{iterator} += 2", f"{iterator} = {iterator} + 1")
            return f"for ({own}{iterator} = {start}; {iterator} < {limit}; {step})"
        if form < 0.75:
            return f"for ({own}{iterator} = {limit} - 1; {iterator} >= 1; {iterator}--)"
        if form < 0.9:
            return f"for ({own}{iterator} = 1; {iterator} <= {limit}; {iterator}++)"
        return f"for ({own}{iterator}={start};{limit}>{iterator};{iterator}++)"

    def open(self, header: str) -> None:
        if self.is_allman:
            self.put(header)
            self.put("{")
        else:
            self.put(header + " {")
        self.depth += 1

    def close(self) -> None:
        self.depth -= 1
        self.put("}")

    def at(self, *names: str) -> str:
        """A subscript of a row, of an iterator or none."""
        name = self.pick(*names)
        return self.pick(name, name, name, f"{name} + {self.random.randrange(1, 4)}", f"{name} - 1 + 1", "2")

    def place(self, names: tuple[str, ...]) -> str:
        array = self.pick("A", "B", "C", "u", "v", "w")
        if array in "uvw":
            row = f"{self.pick(*names)} * WIDTH + " if self.chance(0.3) else ""
            return f"{array}[{row}{self.at(*names)}]"
        if len(names) > 1 and self.chance(0.8):
            first, second = self.random.sample(names, 2)
            return f"{array}[{self.at(first)}][{self.at(second)}]"
        return f"{array}[{self.at(*names)}][{self.at(*names)}]"

    def value(self, names: tuple[str, ...]) -> str:
        one = self.pick(self.place(names), self.place(names), f"HALF({self.place(names)})", *self.scalars, "0.25")
        return self.pick(one, f"{one} * {self.place(names)}", f"{one} + {self.place(names)} * 0.5", f"{one} - 0.125")

    def assign(self, names: tuple[str, ...]) -> str:
        return f"{self.place(names)} {self.pick('=', '=', '+=', '-=')} {self.value(names)};"

    def perfect(self) -> None:
        """Two or three loops with nothing in between."""
        names = ("i", "j", "l")[: self.random.choice((2, 2, 3))]
        braces = self.chance(0.6)
        for at, name in enumerate(names):
            header = self.header(name, names[:at] if self.chance(0.15) else ())
            if braces:
                self.open(header)
            else:
                self.put(header)
                self.depth += 1
        target = self.pick("one", "sum", "any")
        inner = names[1:] if self.chance(0.5) else names
        statements = [f"{self.place(inner)} = {self.value(names)};"]
        if target == "sum":
            statements = [f"u[{self.pick(*names)}] += {self.place(names)} * v[{self.pick(*names)}];"]
        elif target == "any" and braces:
            statements += [self.assign(names) for _ in range(self.random.choice((0, 1)))]
        for statement in statements:
            self.put(statement)
        for _ in names:
            if braces:
                self.close()
            else:
                self.depth -= 1

    def several(self) -> None:
        """A loop of several statements, some of them carried."""
        names = ("i",)
        self.open(self.header("i"))
        if self.chance(0.3):
            self.put(f"double x = {self.value(names)};")
            self.scalars.append("x")
        if self.chance(0.3):
            self.put("double r;")
            self.put(f"r = {self.value(names)};")
            self.scalars.append("r")
        for _ in range(self.random.choice((2, 2, 3, 4))):
            kind = self.random.random()
            if kind < 0.3:
                array = self.pick("u", "v", "w")
                step = self.pick(f"{array}[i + 1] += {array}[i]", f"{array}[i + 1] = {array}[i] * 0.5")
                self.put(f"{step} + {self.value(names)};")
            elif kind < 0.4:
                self.put(f"{self.pick('s', 't', 's')} {self.pick('+=', '=')} {self.value(names)};")
            elif kind < 0.5:
                self.put(f"y = {self.value(names)};")
                self.put(f"{self.place(names)} = y;")
            elif kind < 0.6:
                self.open(self.header("j"))
                self.put(self.assign(("i", "j")))
                self.close()
            elif kind < 0.7:
                self.put(f"if ({self.place(names)} > 0.25)")
                self.put(self.tab + self.assign(names))
            elif kind < 0.8:
                self.put(f"{self.assign(names)} {self.assign(names)}")
            else:
                self.put(self.assign(names))
        self.close()
        self.scalars.clear()

    def sum(self) -> None:
        """Elements that a loop, or two, accumulate into."""
        element = self.pick("p[0]", "p[3]", "*p", "u[5]", "A[1][2]")
        if self.chance(0.3):
            self.put(f"if (n > 2 && m > 2) {element} = 0;")
        elif self.chance(0.3) and "p" not in element:
            self.put(f"{element} = 0.5;")
        names: tuple[str, ...] = ("i",)
        braces = self.chance(0.6)
        header = self.header("i")
        is_two = self.chance(0.4)
        if braces or is_two:
            self.open(header)
        else:
            self.put(header)
            self.depth += 1
        if is_two:
            names = ("i", "j")
            self.open(self.header("j", ("i",) if self.chance(0.2) else ()))
        value = self.pick("v[i]", "w[i + 1] * v[i]", "B[i][2]", f"B[i][{names[-1]}]", "k[i]")
        form = self.pick("+=", "-=", "+=", "again", "*=")
        if self.chance(0.15):
            self.put(f"if (v[i] > 0) {element} += {value};")
        elif form == "again":
            self.put(f"{element} = {element} + {value};")
        else:
            self.put(f"{element} {form} {value};")
        if (braces or is_two) and self.chance(0.3):
            self.put(f"C[{names[0]}][{names[-1]}] = {self.pick('v[i]', element)};")
        if is_two:
            self.close()
        if braces or is_two:
            self.close()
        else:
            self.depth -= 1

    def scratch(self) -> None:
        """Arrays and variables declared outside that each iteration sets first."""
        self.open(self.header("i"))
        names: tuple[str, ...] = ("i",)
        if self.chance(0.4):
            names = ("i", "j")
            self.open(self.header("j"))
        i, j = names[0], names[-1]
        if self.chance(0.3):
            self.put(f"if (v[{i}] > 0) y = 1; else y = v[{j}];")
        else:
            self.put(f"y = {self.place(names)};")
        if self.chance(0.8):
            self.put(f"z[0] = y; z[1] = v[{i}];")
            self.put(f"z[2] = {self.pick('z[0] * z[1]', 'z[1]', 'z[2] + 1')};")
        self.put(f"{self.pick('C', 'B')}[{i}][{j}] = {self.pick('z[2]', 'z[0]', 'y', 'z[2] + y')};")
        if self.chance(0.2):
            self.put(f"t = {self.pick('y', 'z[1]')};")
        if len(names) > 1:
            self.close()
        self.close()


def random_loops(seeds: range) -> str:
    """A C file with a function per seed."""
    return DECLARATIONS + "".join(RandomLoop(seed, f"loop_{seed}").text() for seed in seeds)
