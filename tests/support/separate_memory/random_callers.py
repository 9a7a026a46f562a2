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
        self.named = 0

    def pick(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def text(self) -> str:
        """The whole file."""
        functions: list[str] = []
        calls: list[str] = []
        for number in range(4):
            is_global = self.chance.random() < 0.25
            functions.append(self.function(number, is_global=is_global))
            made = [self.call(number, is_global=is_global) for _ in range(self.chance.choice((1, 1, 2)))]
            if any(f"w{number}(" in one for one in made):
                functions.append(f"static void w{number}(int n, double *v, int k) {{ k{number}(n, v, v + k); }}\n")
            calls += made
        self.chance.shuffle(calls)
        lines = "\n".join(calls)
        show = f'for (int i = 0; i < {_LENGTH}; i++)\nprintf("%.17g %.17g\\n", pool[i], kept.own[i]);\n'
        fill = f"for (int i = 0; i < {_LENGTH}; i++) {{ pool[i] = i; kept.own[i] = -i; }}\n"
        return f"{_HEAD}{''.join(functions)}int main(void)\n{{\n{fill}{lines}\n{show}}}\n"

    def function(self, number: int, *, is_global: bool) -> str:
        """One that uses two pointers, its parameters or variables of the file."""
        loops = self.chance.choice((1, 1, 2))
        body = "".join(f"for (int i = 0; i < n; i++) {{ {self.pick(*_BODIES)} }}\n" for _ in range(loops))
        if not is_global:
            return f"static void k{number}(int n, double *x, double *y)\n{{\n{body}}}\n"
        if self.chance.random() < 0.5:
            return f"static void k{number}(int n)\n{{\ndouble *x = left, *y = right;\n{body}}}\n"
        return f"static void k{number}(int n)\n{{\n{body.replace('x[', 'left[').replace('y[', 'right[')}}}\n"

    def call(self, number: int, *, is_global: bool) -> str:
        """A call in a block of its own, with what it needs before."""
        self.before = []
        count = self.chance.choice((3, 8, 8, 12))
        first = self.chance.randrange(30)
        second = self.chance.choice((first, first + 1, first + 3, first + count, first + 30, first + 40))
        if is_global:
            made = f"point({self.address(first)}, {self.address(second)}); k{number}({count});"
        elif self.chance.random() < 0.1:
            made = f"w{number}({count}, {self.address(first)}, {second - first});"
        else:
            one, other = self.address(first), self.address(second)
            callee = f"call(k{number}, " if self.chance.random() < 0.1 else f"k{number}("
            made = f"{callee}{count}, {one}, {other});"
        return f"{{ {' '.join(self.before)} {made} }}"

    def address(self, place: int) -> str:
        """An expression for a place in the array, or in another one."""
        self.named += 1
        # Names that several blocks declare are one to an analysis that does not tell blocks apart.
        name, there = f"p{self.chance.choice((len(self.before), 9 + self.named))}", f"pool + {place}"
        before, address = self.chance.choice(
            (
                ("", there),
                ("", f"&pool[{place}]"),
                ("", f"at({place})"),
                ("", f"behind(at(2), {place} - 2)"),
                ("", self.pick(f"(yes ? {there} : pool)", f"(no ? kept.own : {there})", f"(!no ? {there} : 0)")),
                (f"double *{name} = {there};", name),
                (f"struct parts {name}; hand(&{name}, {there}, pool);", f"{name}.a"),
                (f"struct parts *{name} = &kept; {name}->b = {there};", self.pick(f"{name}->b", "kept.b")),
                (f"struct parts *{name} = &kept;", self.pick(f"{name}->own", f"&{name}->own[{place}]")),
                (f"left = {there};", "left"),
            )
        )
        self.before += [before] if before else []
        return address


def random_callers(seed: int) -> str:
    """The program of a seed."""
    return RandomCallers(seed).text()
