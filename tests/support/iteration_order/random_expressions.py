"""Random C expressions over the iterators, scalars and arrays of one nest; subscripts stay in their arrays."""

from __future__ import annotations

from random import Random


class RandomExpressions:
    """What one nest is made of; `seed` decides everything."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.scalars = ["s", "t", "u"]
        self.counter = self.chance(0.15)
        self.pointer = self.chance(0.15)
        self.buffer = self.chance(0.15)
        # Most nests write one or two arrays and mostly read others: else hardly a loop would be parallel.
        self.written = [self.array() for _ in range(self.random.choice((1, 1, 2)))]
        self.read = [self.array() for _ in range(2)] + self.written * self.random.choice((0, 0, 1))
        self.scalar_share = 0.0

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def affine(self, names: tuple[str, ...]) -> str:
        """At least 0 and at most 90 for iterators from 0 to 15."""
        terms, least = [], 0
        for name in names:
            factor = self.random.choice(
                (0, 0, 1, 1, 1, 1, 2, 3, -1, -2) if len(names) > 1 else (1, 1, 1, 1, 2, 3, -1, 0)
            )
            least += min(factor, 0) * 15
            if factor:
                terms.append(name if factor == 1 else f"{factor} * {name}")
        if self.chance(0.1):
            terms.append(self.pick("n", "m"))
        constant = self.random.choice((0, 0, 0, 1, 1, 2, 4)) - least
        if constant or not terms:
            terms.append(str(constant))
        return " + ".join(terms)

    def index(self, names: tuple[str, ...]) -> str:
        name = self.random.choice(names)
        kind = self.random.random()
        if kind < 0.25 and len(names) > 1:
            return f"{names[-2]} * 16 + {names[-1]}"
        if kind < 0.75:
            return self.affine(names)
        return self.pick(
            f"{name} % 4", f"{name} % 3 + {self.affine(names)}", f"{name} / 2", f"{name} & 3", f"{name} ^ 1",
            f"({name} + 1) % n", f"p[{name}]", f"p[{self.affine(names)}] & 63", f"{name} * {self.random.choice(names)}",
            f"{name} >> 1", f"{name} / 2 * 2", f"{name} << 1", f"4 * ({name} / 4) + {name} % 4", f"n - 1 - {name} + 16",
            f"{name} * m + {self.random.choice(names)}", f"{name} * 16 + {self.random.choice(names)}",
            f"(unsigned char)(250 + {name})", f"twice({name})", f"{name} == 0 ? 9 : {name} - 1",
            f"({name} + 8) % 16", f"{name} * {name}", *(("z & 255",) if self.counter else ()),
        )  # fmt: skip

    def array(self) -> str:
        names = ("a", "a", "b", "c", "d", "e", "h", "w", "A", "A", "A", "B", "B", "cube", "cells")
        if self.chance(0.3) and (self.pointer or self.buffer):
            return self.pick(*(("q", "r") if self.pointer else ()), *(("box",) if self.buffer else ()))
        return self.pick(*names)

    def place(self, names: tuple[str, ...], *, is_written: bool = False) -> str:
        array = self.random.choice(self.written if is_written else self.read)
        match array:
            case "A" | "B":
                wanted = (
                    [*names, self.random.choice(names)][:2] if self.chance(0.7) else self.random.choices(names, k=2)
                )
                self.random.shuffle(wanted)
                return f"{array}[{self.small((wanted[0],))}][{self.small((wanted[1],))}]"
            case "cube":
                wanted = [*names, "3", "n"][:3] if self.chance(0.7) else self.random.choices(names, k=3)
                return f"cube[{self.tiny((wanted[0],))}][{self.tiny((wanted[1],))}][{self.tiny((wanted[2],))}]"
            case "cells":
                return f"cells[{self.affine(names)}].{self.pick('red', 'blue')}"
            case "box":
                return f"box[{self.tiny(names)}]"
            case "q" | "r":
                return f"{array}[{self.affine(names)}]"
            case _:
                return f"{array}[{self.index(names)}]"

    def small(self, names: tuple[str, ...]) -> str:
        """At least 0 and under 64."""
        name = self.random.choice(names)
        if self.chance(0.12):
            return self.pick(f"{name} % 4", f"{name} / 2", f"p[{name}] & 31", f"15 - {name}", f"n - 1 - {name} + 16")
        return (
            f"{name}{self.pick('', '', '', ' + 1', ' + 2', ' + 16')}" if self.chance(0.9) else self.pick("0", "n", "3")
        )

    def tiny(self, names: tuple[str, ...]) -> str:
        return f"{self.random.choice(names)} & 15" if self.chance(0.2) else self.random.choice(names)

    def value(self, names: tuple[str, ...], depth: int = 0) -> str:
        kind = self.random.random()
        if depth > 2 or kind < 0.45:
            return self.place(names)
        if kind < 0.6:
            return self.pick(
                *names,
                *(self.scalars if self.chance(self.scalar_share) else ()),
                "n",
                "m",
                "7",
                *(("z",) if self.counter else ()),
            )
        if kind < 0.85:
            return f"({self.cut(names, depth)} {self.pick('+', '+', '-', '*', '&', '^')} {self.cut(names, depth)})"
        if kind < 0.9:
            return f"({self.condition(names)} ? {self.value(names, depth + 1)} : {self.value(names, depth + 1)})"
        if self.pointer and kind < 0.93:
            return self.pick("*q", "*r", "*r++", "r[1]")
        return self.pick(
            f"twice({self.cut(names, depth)})", f"larger({self.cut(names, depth)}, 4)", f"peek({names[0]})"
        )

    def cut(self, names: tuple[str, ...], depth: int) -> str:
        """An int, so that every operator applies."""
        return f"(int)({self.value(names, depth + 1)})"

    def condition(self, names: tuple[str, ...]) -> str:
        name, other = self.random.choice(names), self.random.choice(names)
        return self.pick(
            f"{name} < {other} + 2", f"{name} % 2 == 0", f"{name} != 3", f"{name} == {other}", "s > 9",
            f"{name} + {other} < n", f"{name} > 0 && {name} < m", f"p[{name}] == {name}", f"{name} < n / 2",
            f"{name} & 1", f"{name} == n - 1", f"{self.place(names)} > 4", f"{self.place(names)} > 4",
            f"{self.pick('a', 'b')}[{name}] < {self.pick('s', 't', '5')}",
        )  # fmt: skip
