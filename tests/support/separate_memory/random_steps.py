"""Random programs of nests and of the host's statements, in time loops, on parameters and arrays of the function."""

from __future__ import annotations

import random

_LENGTH = 48
_ARRAYS = ("a", "b", "w", "v", "h", "s")
_OWN = (
    "double w[48];", "double v[n + 8];", "double *h = malloc(48 * sizeof *h);", "static double s[48];",
)  # fmt: skip


class RandomSteps:
    """Writes one program, which prints all that is left in memory; the seed decides everything."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def pick(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def text(self) -> str:
        """The whole file."""
        starts = "".join(
            f"for (int i = 0; i < n + 8; i++) {name}[i] = {self.pick('i', '1', 'i % 5')};\n" for name in "wvh"
        )
        starts += "" if self.chance.random() < 0.5 else "for (int i = 0; i < n + 8; i++) s[i] = 2;\n"
        steps = "".join(self.step(0) for _ in range(self.chance.choice((3, 4, 5))))
        sums = "".join(
            f"for (int i = 0; i < n + 8; i++) acc += {name}[i] * {k + 1};\n" for k, name in enumerate(_ARRAYS)
        )
        own = "\n".join(_OWN)
        return (
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
            "static void half(int n, double *x, const double *y) { for (int i = 0; i < n; i++) x[i] = y[i] * 0.5; }\n"
            "static void set(double *x) { x[3] = 7; }\n"
            "static double first(const double *x) { return x[2]; }\n"
            f"static double work(int n, int t, double *a, double *b)\n{{\n{own}\ndouble acc = 0;\n{starts}{steps}{sums}"
            "free(h);\nreturn acc;\n}\n"
            f"int main(void)\n{{\nstatic double x[{_LENGTH}], y[{_LENGTH}];\n"
            f"for (int i = 0; i < {_LENGTH}; i++) {{ x[i] = i; y[i] = -i; }}\n"
            'printf("%.17g\\n", work(40, 3, x, y));\nprintf("%.17g\\n", work(17, 2, y, x));\n'
            f'for (int i = 0; i < {_LENGTH}; i++)\nprintf("%.17g %.17g\\n", x[i], y[i]);\n}}\n'
        )

    def step(self, depth: int) -> str:
        """A nest, a statement of the host, or a loop around some of them."""
        kind = self.chance.random()
        if depth < 2 and kind < 0.35:
            name = ("k", "l")[depth]
            inner = "".join(self.step(depth + 1) for _ in range(self.chance.choice((1, 2, 2, 3))))
            leave = f"if ({name} == 1) {self.pick('break', 'continue')};\n" if self.chance.random() < 0.15 else ""
            return f"for (int {name} = 0; {name} < {self.pick('t', '2', '3')}; {name}++) {{\n{inner}{leave}}}\n"
        if kind < 0.75:
            return self.nest(depth)
        x, y = self.chance.sample(_ARRAYS, 2)
        return self.pick(
            f"{x}[3] = {y}[2];\n", f"acc += {x}[5];\n", f"if ({x}[2] > 1) {x}[2] -= 1;\n", f"set({x});\n",
            f"acc += first({x});\n", f"memcpy({x}, {y}, 8 * sizeof *{x});\n", f"{{ double *p = {x} + 1; *p = acc; }}\n",
            "{ double *q = a; a = b; b = q; }\n", f"half(n, {x}, {y});\n",
        )  # fmt: skip

    def nest(self, depth: int) -> str:
        """One loop over elements, under a condition at times."""
        x, y, z = (self.pick(*_ARRAYS) for _ in range(3))
        outer = ("1", "k", "l")[depth]
        when = f"if ({outer} > 0)\n" if depth and self.chance.random() < 0.2 else ""
        body = self.pick(
            f"{x}[i] = {y}[i] + {z}[i - 1];", f"{x}[i] = {y}[i + 1] * 0.5;", f"{x}[i] += {y}[i] * 0.25;",
            f"{x}[i] = i + {outer};", f"if ({y}[i] > 2) {x}[i] = {z}[i];", f"acc += {x}[i];",
            f"double u = {y}[i]; {x}[i] = u * 0.5 + {z}[i];",
        )  # fmt: skip
        start, end = self.pick("2", "0" if "i - 1" not in body else "1"), self.pick("n", "n - 2", "n")
        return f"{when}for (int i = {start}; i < {end}; i++) {{ {body} }}\n"


def random_steps(seed: int) -> str:
    """The program of a seed."""
    return RandomSteps(seed).text()
