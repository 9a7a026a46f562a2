"""Random C functions with a nest each: what people write, mixed without regard for sense; memory is never overrun.

Integer parameters are at most 11 and integers in memory 0 to 10 at the start; whatever is subscripted by data is cut to
the array by `&`.
"""

from __future__ import annotations

from support.iteration_order.random_expressions import RandomExpressions

DECLARATIONS = """int a[512], b[512], c[512];
double d[512], e[512];
unsigned char h[512];
short w[512];
int A[64][64], B[64][64];
int cube[16][16][16];
int p[512];
struct cell { int red, blue; };
struct cell cells[512];
static int twice(int v) { return 2 * v; }
static int larger(int u, int v) { return u > v ? u : v; }
static int peek(int at) { return c[at & 255]; }
static void put(int *to, int at, int v) { to[at] = v; }
static void add(int *to, int v) { *to += v; }
"""

_ITERATORS = ("i", "j", "k")


class RandomNest(RandomExpressions):
    """Writes one function. `seed` decides everything."""

    def __init__(self, seed: int, name: str) -> None:
        super().__init__(seed)
        self.lines: list[str] = []
        self.indent = 1
        self.outside = self.chance(0.2)
        self.name = name
        self.unsigned: set[str] = set()
        self.scalar_share = self.random.choice((0.0, 0.0, 0.1, 0.3))

    def put(self, line: str) -> None:
        self.lines.append("  " * self.indent + line)

    def text(self) -> str:
        """The whole function."""
        self.put("int s = 0, t = 1;")
        self.put(self.pick("unsigned char u = 3;", "unsigned u = 3;", "int u = 3;", "double u = 3;", "short u = 9;"))
        if self.counter:
            self.put(f"int z = {self.random.randrange(4)};")
        if self.pointer:
            self.put(f"int *q = {self.pick('a', 'b', 'a + 4', '&b[8]')}, *r = {self.pick('a', 'c', 'b + 1')};")
        if self.buffer:
            self.put("int box[16] = {0};")
        if self.outside:
            self.put("int i, j, k;")
        self.loop((), self.random.choice((1, 2, 2, 2, 3)))
        self.put(f"return s + t + u{' + z' if self.counter else ''}{' + (q - a)' if self.pointer else ''};")
        return f"double {self.name}(int n, int m) {{\n" + "\n".join(self.lines) + "\n}\n"

    def loop(self, names: tuple[str, ...], depth: int) -> None:
        iterator = _ITERATORS[len(names)]
        outer = names[-1] if names else "0"
        start = self.pick("0", "0", "0", "1", "2", *((outer, f"{outer} + 1") if names else ()))
        # An unsigned `n - i` would wrap to a bound beyond every array.
        rest = f"n - (int){outer}" if outer in self.unsigned else f"n - {outer}"
        triangle = (f"{outer} + 1", f"{outer} + 3", rest, outer) if names else ()
        limit = self.pick("n", "n", "m", "10", *triangle)
        own = "" if self.outside else "int "
        form = self.random.random()
        closing = "}"
        if form < 0.6:
            more = self.pick("", "", "", f" && {iterator} < 8")
            step = self.pick(f"{iterator}++", f"{iterator}++", f"{iterator} += 2", f"++{iterator}", f"{iterator} += 3")
            self.put(f"for ({own}{iterator} = {start}; {iterator} < {limit}{more}; {step}) {{")
        elif form < 0.72:
            self.put(f"for ({own}{iterator} = {limit} - 1; {iterator} >= 0; {iterator}--) {{")
        elif form < 0.78:
            self.put(f"for ({own}{iterator} = n; {iterator}-- > 0;) {{")
        elif form < 0.84:
            kind = self.pick("unsigned", "long", "unsigned char", "short") if own else ""
            if kind == "unsigned":
                self.unsigned.add(iterator)
            self.put(f"for ({kind} {iterator} = 0; {iterator} < 10; {iterator}++) {{")
        elif form < 0.9:
            self.put(f"for ({own}{iterator} = 0; {iterator} <= n - 1; {iterator}++) {{")
        elif form < 0.97:
            self.put(f"{{ {own}{iterator} = 0;")
            self.put(f"while ({iterator} < {self.pick('n', 'm', '9')}) {{")
            closing = f"{iterator}++; }} }}"
        else:
            self.put(f"{{ {own}{iterator} = 0;")
            self.put("do {")
            closing = f"}} while (++{iterator} < {self.pick('n', 'm', '9')}); }}"
        self.indent += 1
        is_while = closing != "}"
        self.body((*names, iterator), depth - 1, is_while=is_while)
        self.indent -= 1
        self.put(closing)

    def body(self, names: tuple[str, ...], depth: int, *, is_while: bool) -> None:
        if self.chance(0.12) and not is_while:
            self.put(f"if ({self.condition(names)}) continue;")
        if self.chance(0.25):
            self.put(f"{self.pick('int', 'int', 'short', 'unsigned char', 'double')} v = {self.value(names)};")
            self.put(f"{self.place(names, is_written=True)} = v;")
        for _ in range(self.random.choice((0, 1, 1) if depth else (1, 1, 2, 2, 3))):
            self.statement(names)
        if depth:
            self.loop(names, depth)
            if self.chance(0.35):
                self.statement(names)
        if self.counter and self.chance(0.5):
            self.put(
                self.pick("z++;", "z += 2;", f"z = {names[-1]};", f"if ({self.condition(names)}) z++;", "z = z + 1;")
            )
        if self.chance(0.03):
            self.put(f"if ({self.condition(names)}) break;")

    def target(self, names: tuple[str, ...]) -> str:
        """What a pointer may be set to."""
        return self.pick("a", "b", "c + 2", "r", "q", f"a + {names[0]}", f"&b[{names[-1]}]", f"A[{names[0]}]")

    def statement(self, names: tuple[str, ...]) -> None:
        kind = self.random.random()
        kind = 0.1 if 0.42 < kind < 0.77 and not self.chance(self.scalar_share * 2 + 0.15) else kind
        scalar = self.random.choice(self.scalars)
        if kind < 0.42:
            operator = self.pick("=", "=", "=", "+=", "+=", "-=", "*=")
            line = f"{self.place(names, is_written=True)} {operator} {self.cut(names, 0)};"
        elif kind < 0.55:
            line = self.pick(
                f"{scalar} += {self.cut(names, 0)};", f"s += {self.value(names)};", f"t = t * {self.cut(names, 0)};",
                f"s = {self.cut(names, 0)} + s;", f"s -= {self.cut(names, 0)};", f"s ^= {self.cut(names, 0)};",
                f"t |= {self.cut(names, 0)};", f"s = {self.cut(names, 0)} - s;", f"{scalar}++;",
            )  # fmt: skip
        elif kind < 0.65:
            value = self.place(names)
            line = self.pick(
                f"if ({value} > s) s = {value};",
                f"s = {value} < s ? {value} : s;", f"t = larger(t, {self.cut(names, 0)});",
                f"if ({value} < t) t = {value};",
            )  # fmt: skip
        elif kind < 0.77:
            self.put(f"{scalar} = {self.value(names)};")
            line = f"{self.place(names, is_written=True)} = {scalar};"
        elif kind < 0.9:
            self.put(f"if ({self.condition(names)}) {{")
            self.indent += 1
            self.statement(names)
            self.indent -= 1
            if self.chance(0.4):
                self.put("} else {")
                self.indent += 1
                self.statement(names)
                self.indent -= 1
            line = "}"
        elif kind < 0.94 and self.pointer:
            line = self.pick(
                f"*q++ = {self.cut(names, 0)};", "q++;", f"*q += {self.cut(names, 0)};", "*q++ = *r++;",
                f"if ({self.condition(names)}) q = {self.target(names)}; else q = {self.target(names)};",
                f"q = {self.condition(names)} ? {self.target(names)} : {self.target(names)};",
                f"if ({self.condition(names)}) q++;", f"if ({self.condition(names)}) r = q;",
                "{ int *o = q; q = r; r = o; }", f"q = {self.target(names)};",
                f"if (q != r) {self.place(names, is_written=True)} = 3;",
            )  # fmt: skip
        elif kind < 0.97:
            line = self.pick(
                f"put({self.pick('a', 'b')}, {self.affine(names)}, {self.cut(names, 0)});",
                f"add(&{self.pick('a', 'c')}[{self.affine(names)}], {self.cut(names, 0)});",
                f"add(&A[{names[0]}][{names[-1]}], {self.cut(names, 0)});",
            )
        else:
            line = f"{self.place(names, is_written=True)} = {self.place(names)};"
        self.put(line)


def random_nests(seeds: range) -> str:
    """A C file with a function per seed."""
    return DECLARATIONS + "".join(RandomNest(seed, f"nest_{seed}").text() for seed in seeds)
