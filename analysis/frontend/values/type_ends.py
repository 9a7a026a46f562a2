"""Whether the type of what a loop counts with holds what the loop counts to."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.frontend.values.loop_limits import Comparison
from warplens.analysis.ir.expression import Cast, Expression, c_text
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT, Scalar, holds_all_of

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


class TypeEnds:
    """Tests against the range of the counted variable's type.

    `counted` is what the tests see of the variable, `start` what it holds when the first test could see it, None where
    that is no constant.
    """

    def __init__(self, name: str, ctype: Scalar, counted: Polynomial, start: int | None, step: int) -> None:
        self._name, self._ctype = name, ctype
        self._counted, self._start, self._step = counted, start, step
        bits = 1 if ctype.name == "_Bool" else 8 * ctype.size_bytes
        self._least = -(1 << (bits - 1)) if ctype.signed else 0
        self._most = (1 << (bits - 1)) - 1 if ctype.signed else (1 << bits) - 1
        self._is_narrow = ctype.size_bytes < INT.size_bytes

        self.reason = ""
        """Why no test ends the loop, empty where one may."""
        self.assumptions: list[str] = []

    def checked(self, tests: Sequence[Comparison]) -> list[Comparison]:
        """The tests that can end the loop; where there is none `reason` says why the first can't.

        What must hold of a limit that only the run knows is noted where the type is narrower than an `int` or the
        variable is unsigned and counts down to the limit itself.

        Source: ISO C17 6.2.5 paragraph 9 (unsigned arithmetic wraps), 6.3.1.8 (usual arithmetic conversions); that
        signed overflow is undefined makes such a loop no better.

        Assumes: other limits that only the run knows are in reach.
        """
        reasons = {number: reason for number, test in enumerate(tests) if (reason := self._endless(test))}
        if reasons and len(reasons) == len(tests):
            self.reason = reasons[0]
        return [test for number, test in enumerate(tests) if number not in reasons]

    def _endless(self, test: Comparison) -> str:
        """Why a test never ends the loop, empty where it may."""
        if test.left == self._counted and len(test.sides) == 2:
            operator, other, sides = test.operator, test.right, test.sides
        elif test.right == self._counted and len(test.sides) == 2:
            operator, other, sides = _MIRRORED.get(test.operator, ""), test.left, test.sides[::-1]
        else:
            return ""
        if _is_converted(sides[0]) or operator not in (("<", "<=", "!=") if self._step > 0 else (">", ">=", "!=")):
            return ""
        kind = sides[1].type
        if not isinstance(kind, Scalar) or kind.kind != "int":
            return ""
        inclusive = 1 if operator in {"<=", ">="} else 0
        if operator in {"<", "<="} and (self._start or 0) < 0 and _is_unsigned_together(self._ctype, kind):
            return f"it may never run: `{self._name}` starts below zero and is compared as unsigned"
        if other is None or not other.is_constant:
            self._note(operator, inclusive, sides[1], kind)
            self._note_wrapping(operator, sides[1])
            return ""
        least = max(self._least, 0) if _is_unsigned_together(self._ctype, kind) else self._least
        limit = other.constant_term
        never = f"it never ends: `{self._name}` is {_article(self._ctype.name)} and never"
        if operator == "!=" and limit < 0 <= least and self._ctype.size_bytes >= INT.size_bytes:
            return ""  # `i != -1` compares with the type's largest value
        if self._step > 0 and limit + inclusive > self._most:
            return f"{never} reaches {limit + inclusive}"
        if self._step < 0 and limit - inclusive < least:
            return f"{never} gets below {limit - inclusive + 1}"
        if self._start is None:
            self._note_wrapping(operator, sides[1])
            return ""
        if operator == "!=" and self._is_narrow and (limit - self._start) * self._step < 0:
            return f"`{self._name}` is {_article(self._ctype.name)} and wraps on its way to {limit}"
        past = limit + inclusive if self._step > 0 else limit - inclusive
        last = self._start + -((self._start - past) // self._step) * self._step
        is_run = (past - self._start) * self._step > 0
        if is_run and not least <= last <= self._most:
            end = self._most if self._step > 0 else least
            return (
                f"it may never end: `{self._name}` is {_article(self._ctype.name)} and steps over {end}, its last value"
            )
        return ""

    def _note(self, operator: str, inclusive: int, limit: Expression, kind: Scalar) -> None:
        is_down_to = not self._ctype.signed and self._step < 0 and inclusive
        slack = abs(self._step) - 1 + inclusive if operator != "!=" else 0
        if not (self._is_narrow or is_down_to) or (not slack and holds_all_of(self._ctype, kind)):
            return
        bound = f"most {self._most - slack}" if self._step > 0 else f"least {self._least + slack}"
        self.assumptions.append(
            f"`{c_text(limit)}` is assumed to be at {bound}: `{self._name}` is {_article(self._ctype.name)}"
        )

    def _note_wrapping(self, operator: str, limit: Expression) -> None:
        """`i != end` comes to an end past the type's last value too, where that takes no huge array."""
        if operator == "!=" and self._is_narrow and self._start != (self._least if self._step > 0 else self._most):
            kind = _article(self._ctype.name)
            self.assumptions.append(
                f"`{self._name}` is assumed to get to `{c_text(limit)}` without wrapping: it is {kind}"
            )


def _is_converted(side: Expression) -> bool:
    """Whether a cast may change the value that is compared: `(int)i >= 0` ends for an unsigned `i` too."""
    while isinstance(side, Cast):
        target, source = side.type, side.operand.type
        if not (isinstance(target, Scalar) and isinstance(source, Scalar) and holds_all_of(target, source)):
            return True
        side = side.operand
    return False


def _is_unsigned_together(left: Scalar, right: Scalar) -> bool:
    """Whether the usual arithmetic conversions make both operands unsigned."""
    wider = max((INT, left, right), key=lambda kind: (kind.size_bytes, not kind.signed))
    return not wider.signed


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'aeio' or name.startswith('un') else 'a'} `{name}`"
