"""Random programs whose functions get parts of one array, apart or not, by all ways in which C hands addresses on."""

from __future__ import annotations

import random

_LENGTH = 96
_HEAD = f"""#include <stdio.h>
typedef void op(int, double *, double *);
struct parts {{ double *a, *b; double own[{_LENGTH}]; }};
static double pool[{_LENGTH}], *left, *right;
static struct parts kept;
static int yes = 1, no;
static double *at(int k) {{ return pool + k; }}
static double *behind(double *p, int k) {{ return &p[k]; }}
static void call(op *f, int n, double *x, double *y) {{ f(n, x, y); }}
static void hand(struct parts *s, double *x, double *y) {{ s->a = x; s->b = y; }}
static void point(double *x, double *y) {{ left = x; right = y; }}
"""
_BODIES = (
    "y[i] = 2 * x[i] + 1;", "y[i] = x[i + 1];", "y[i] += x[i];", "y[i + 2] = x[n - 1 - i];", "y[2 * i] = x[i];",
    "x[i] = i; y[i] += 1;", "if (i & 1) y[i] = x[i];", "y[i] = x[i] + x[2 * i];", "y[i] = i;", "y[0] += x[i];",
)  # fmt: skip


class RandomCallers:
    """Writes one program, which prints its memory; the seed decides everything."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.before: list[str] = []

    def pick(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def text(self) -> str:
        """The whole file."""
        functions, calls = [], []
        for number in range(4):
            is_global = self.chance.random() < 0.25
            names = ("*x = left, *y = right") if is_global and self.chance.random() < 0.5 else ""
            body = "".join(f"for (int i = 0; i < n; i++) {{ {self.pick(*_BODIES)} }}\n" for _ in range(self.pick(*"112") == "2" and 2 or 1))
            if is_global:
                body = f"double {names};\n{body}" if names else body.replace("x[", "left[").replace("y[", "right[")
                functions.append(f"static void k{number}(int n)\n{{\n{body}}}\n")
            else:
                functions.append(f"static void k{number}(int n, double *x, double *y)\n{{\n{body}}}\n")
                functions.append(f"static void w{number}(int n, double *v, int k) {{ k{number}(n, v, v + k); }}\n")
            calls += [self.call(number, is_global) for _ in range(self.chance.choice((1, 1, 2)))]
        self.chance.shuffle(calls)
        lines = "\n".join(calls)
        show = f'for (int i = 0; i < {_LENGTH}; i++)\nprintf("%.17g %.17g\\n", pool[i], kept.own[i]);\n'
        fill = f"for (int i = 0; i < {_LENGTH}; i++) {{ pool[i] = i; kept.own[i] = -i; }}\n"
        table = "static op *table[] = { " + ", ".join(f"k{n}" for n in range(4) if f"k{n}(int n, double" in "".join(functions)) + " };\n"
        has_table = "table[" in lines
        return f"{_HEAD}{''.join(functions)}{table if has_table else ''}int main(void)\n{{\n{fill}{lines}\n{show}}}\n"

    def call(self, number: int, is_global: bool) -> str:
        """A call in a block of its own, with what it needs before."""
        self.before = []
        count = self.chance.choice((1, 3, 8, 12))
        first = self.chance.randrange(30)
        second = self.chance.choice((first, first + 1, first + 3, first + count, first + 30, first + 40))
        if is_global:
            made = f"point({self.address(first)}, {self.address(second)}); k{number}({count});"
        elif self.chance.random() < 0.15:
            made = f"w{number}({count}, {self.address(first)}, {second - first});"
        else:
            one, other = self.address(first), self.address(second)
            callee = self.pick(f"k{number}(", f"k{number}(", f"k{number}(", f"call(k{number}, ")
            made = f"{callee}{count}, {one}, {other});"
        return f"{{ {' '.join(self.before)} {made} }}"

    def address(self, place: int) -> str:
        """An expression for a place in the array, or in another one."""
        name = f"p{len(self.before)}"
        way = self.chance.randrange(10)
        if way == 0:
            return f"&pool[{place}]"
        if way == 1:
            return f"at({place})"
        if way == 2:
            return f"behind(at(2), {place} - 2)"
        if way == 3:
            return self.pick(f"(yes ? pool + {place} : pool)", f"(no ? kept.own : pool + {place})", f"(!no ? pool + {place} : 0)")
        if way == 4:
            self.before.append(f"double *{name} = pool + {place};")
            return name
        if way == 5:
            self.before.append(f"struct parts {name}; hand(&{name}, pool + {place}, pool);")
            return f"{name}.a"
        if way == 6:
            self.before.append(f"struct parts *{name} = &kept; {name}->b = pool + {place};")
            return self.pick(f"{name}->b", "kept.b")
        if way == 7:
            self.before.append(f"struct parts *{name} = &kept;")
            return self.pick(f"{name}->own", f"kept.own + {place}", f"&{name}->own[{place}]")
        if way == 8:
            self.before.append(f"left = pool + {place};")
            return "left"
        return f"pool + {place}"
