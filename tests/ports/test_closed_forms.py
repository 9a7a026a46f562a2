"""A lowered nest computes what the C text computes: run by gcc and by an interpreter of the nest, memory is compared.

Closed forms of moving variables, displaced iterators, trip counts of loops in any form and quotients are all in it.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.source import Preprocessed
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
)
from warplens.analysis.ir.nest import Assign, Exit, If, Loop, LoopNest, Statement
from warplens.analysis.ir.verify import violations

SIZES = ({"n": 13, "m": 5, "s": 3}, {"n": 6, "m": 11, "s": 1}, {"n": 1, "m": 2, "s": 4}, {"n": 24, "m": 7, "s": 5})
LENGTH, MIDDLE = 4096, 1024

NESTS = {
    "while": "int i = 0; while (i < n) { a[i] = i; i++; }",
    "while, step in the middle": "int i = 0; while (i < n) { a[i] += 1; i++; b[i] = i; }",
    "while, two steps": "int i = 0; while (i < n) { a[i] += i; i++; b[i] = i; i += 2; }",
    "while, counted down": "while (n--) a[n] = n;",
    "while, counted down before the test": "while (--n) a[n] = n;",
    "while, from its own value": "while (m < n) { a[m] = m; m += 2; }",
    "while, positive": "int i = n; while (i-- > 0) a[i] = i;",
    "while, stepped in the test": "int i = 0; while (i++ < n) a[i] = i;",
    "while, stepped before the test": "int i = 0; while (++i <= n) a[i] = i;",
    "do": "int i = 0; do { a[i] = i; } while (++i < n);",
    "do, stepped after the test": "int i = 0; do { a[i] = i; } while (i++ < n);",
    "do, limit below the start": "int i = 3; do { a[i] = i; i++; } while (i < n - 5);",
    "do, down": "int i = n; do { a[i] = i; i -= 2; } while (i > 0);",
    "do inside": "for (int j = 0; j < m; j++) { int i = 0; do { a[i * 11 + j] = i; } while (++i < n); }",
    "break first": "int i = 0; for (;;) { if (i >= n) break; a[i] = i; i++; }",
    "break last": "int i = 0; for (;;) { a[i] = i; i++; if (i >= n) break; }",
    "while with a break first": "int i = 0; while (1) { if (i == n) break; a[i++] = 1; }",
    "step in the body": "for (int i = 0; i < n;) { a[i] = i; i += 2; a[i - 1] = 7; }",
    "step in body and header": "for (int i = 0; i < n; i++) { a[i] = i; i += 1; b[i] = i; }",
    "shadowed iterator": "for (int i = 0; i < n; i++) { a[i] = 1; { int i = 3; i++; b[i] += i; } }",
    "pointer": "int *p; for (p = a; p < a + n; p++) *p = 4;",
    "pointer, down": "int *p; for (p = a + n; p-- > a;) *p = 4;",
    "pointer to an end": "int *p = a + 2, *end = a + n; while (p < end) *p++ = n;",
    "pointer, comma": "int *p, *e; for (p = b, e = b + n; p != e; ++p) *p += 1;",
    "pointer, declared in the header": "for (int *p = a, *q = b; p < a + n; p++, q += 2) *p = *q;",
    "pointer, before": "int *p = a; for (int i = 0; i < n; i++) *++p = i;",
    "two pointers": "int *d = a, *s1 = b; while (n--) *d++ = *s1++;",
    "own pointers": "for (int i = 0; i < n; i++) *a++ = *b++;",
    "pointer by stride": "int *p = a; for (int i = 0; i < n; i++) { *p = i; p += m; }",
    "pointer, reset per row": "for (int i = 0; i < n; i++) { int *p = a + i * m; for (int j = 0; j < m; j++) *p++ = j; "
    "}",
    "pointer through rows": "int *p = a; for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) *p++ = i "
    "+ j; p += 3; "
    "}",
    "pointer subscript": "int *p = a; for (int i = 0; i < n; i++, p += 2) { p[1] = i; p[-1] = b[i]; }",
    "row walk": "for (int i = 0; i < n; i++) { int *p = &a[i * m], *q = p + m; while (p < q) *p++ = 3; }",
    "induction": "int k = 2; for (int i = 0; i < n; i++) { a[k] = i; k += 3; b[k] = k; }",
    "induction down": "int k = n; for (int i = 0; i < n; i++) { a[k--] = i; }",
    "induction of a parameter": "for (int i = 0; i < n; i++) { a[m] = i; m += s; b[i] = m; }",
    "induction in a condition": "int k = 0; for (int i = 0; i < n; i++) { if (b[k++] > 3) a[k] = i; }",
    "induction against the step": "int k = 0; for (int i = n; i > 0; i--) { a[k++] = i; }",
    "induction with a stepped iterator": "int k = 0; for (int i = 0; i < n; i += 2) { a[k] = i; k += 4; }",
    "odd induction with a stepped iterator": "int k = 0; for (int i = 0; i < n; i += 2) { a[k] = i; k++; }",
    "induction through two loops": "int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[k++] = i;",
    "induction, also between": "int k = 0; for (int i = 0; i < n; i++) { b[k] = i; for (int j = 0; j < m; j++) "
    "a[k++] = j; "
    "k++; }",
    "induction, two inner loops": "int k = 0; for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) a[k++] = j; "
    "for (int j = 0; j < s; j++) a[k++] = -j; }",
    "induction in a triangle": "int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) a[k++] = j;",
    "inner induction reset": "int k; for (int i = 0; i < n; i++) { k = i; for (int j = 0; j < m; j++) { a[k] "
    "+= j; k += 2; } "
    "b[i] = k; }",
    "inner induction with a break": "int k; for (int i = 0; i < n; i++) { k = i; for (int j = 0; j < m; j++) { if "
    "(b[j] > 8) break; "
    "k += 2; } a[i] = k; }",
    "compaction": "int k = 0; for (int i = 0; i < n; i++) if (b[i] > 4) a[k++] = i;",
    "continue before a step": "int k = 0; for (int i = 0; i < n; i++) { if (b[i] > 4) continue; a[k++] = i; }",
    "continue after a step": "int k = 0; for (int i = 0; i < n; i++) { a[k++] = i; if (b[i] > 4) continue; b[i] = k; }",
    "continue in a while": "int i = 0; while (i < n) { i++; if (b[i] > 4) continue; a[i] = i; }",
    "value of an increment": "int k = 0; for (int i = 0; i < n; i++) { int t = k++; a[t] = k; b[++k] = t; }",
    "assigned increment": "int k = 0; for (int i = 0; i < n; i++) { k = k + 2; a[k] = i; k = 1 + k; a[k] = k; }",
    "step by a parameter": "for (int i = 1; i < n; i += s) a[i] = i;",
    "step by a parameter, down": "for (int i = n; i > 2; i -= s) a[i] = i;",
    "step by a parameter, to the end": "for (int i = 0; i <= n; i += s) { a[i] = i; b[2 * i] = i; }",
    "tiles": "for (int ii = 0; ii < n; ii += 4) for (int i = ii; i < (ii + 4 < n ? ii + 4 : n); i++) a[i] += i;",
    "tiles of a parameter": "for (int ii = 0; ii < n; ii += s) for (int i = ii; i < (ii + s < n ? ii + s : "
    "n); i++) a[i] += "
    "i;",
    "tiles, nested if": "for (int ii = 0; ii < n; ii += s) for (int i = ii; i < ii + s; i++) if (i < n) a[i] += i;",
    "larger of two starts": "for (int i = 0; i < n; i++) for (int j = i - s > 0 ? i - s : 0; j < m; j++) a[i + j] += "
    "j;",
    "smaller of two starts": "for (int i = 0; i < n; i++) for (int j = i + s < m ? i + s : m; j >= 0; j--) a[i + j] += "
    "j;",
    "meeting in the middle": "int lo = 0, hi = n - 1; while (lo < hi) { int t = a[lo]; a[lo++] = a[hi]; a[hi--] = t; }",
    "quotient and remainder": "for (int i = 0; i < n * m; i++) { int y = i / m, x = i % m; a[y * m + x] = i; }",
    "quotient of a number": "for (int i = 0; i < n; i++) { int y = i >> 2, x = i & 3; a[4 * y + x] += i; }",
    "negative quotient": "for (int i = -n; i < n; i++) { a[(i / 3) * 3 + i % 3] += i; }",
    "even quotient": "for (int i = 0; i < n; i++) { a[(6 * i) / 2] = (4 * i) % 4; }",
    "factor in the test": "for (int i = 0; 2 * i < n; i++) a[i] = 1;",
    "factor in the test, equal": "for (int i = n; 3 * i >= m; i--) a[i] = 1;",
    "continue in nested branches": "for (int i = 0; i < n; i++) { if (b[i] > 2) { if (b[i] > 7) continue; a[i] = 1; "
    "} b[i] = i; }",
    "continue in both branches": "for (int i = 0; i < n; i++) { if (b[i] > 5) { if (b[i] > 7) continue; a[i] = 1; "
    "} else { int t = b[i]; if (t < 2) continue; a[i] = t; } "
    "b[i] = i; a[i] += b[i] * 3 + 1; a[i + 1] += b[i] * 2 - 1; a[i + 2] -= b[i] + "
    "a[i] * a[i + 1] + 4; b[i + 1] += a[i] * 2 + b[i] - 7; }",
    "continue in a block": "for (int i = 0; i < n; i++) { { int t = b[i]; if (t > 5) continue; a[i] = t; } b[i] = i; }",
    "continue in a switch": "for (int i = 0; i < n; i++) { switch (b[i]) { case 1: continue; case 2: a[i] = "
    "5; break; default: a[i] = 1; } b[i] = 0; }",
    "fall-through": "for (int i = 0; i < n; i++) { switch (b[i]) { case 1: a[i] = 3; case 2: a[i] += "
    "5; break; case 3: b[i] = 9; default: a[i] += 1; } }",
    "default in the middle": "for (int i = 0; i < n; i++) { switch (b[i]) { case 1: a[i] = 3; break; default: "
    "a[i] += 1; case 4: b[i] += 2; } }",
    "break in a case": "for (int i = 0; i < n; i++) { switch (b[i]) { case 1: if (i > 2) break; a[i] = "
    "3; default: a[i] += 1; } b[i] = 0; }",
    "once": "for (int i = 0; i < n; i++) do { a[i] = i; b[i] = 2; } while (0);",
}


@dataclass
class Machine:
    """State of the interpreter: scalars by the nest's names, memory by the arrays'."""

    scalars: dict[str, int]
    memory: dict[str, list[int]]
    base: dict[str, int] = field(default_factory=dict)


class LeaveError(Exception):
    """A `break`, by the loop that it ends."""


def value(expression: Expression, machine: Machine) -> int:
    match expression:
        case Constant(number):
            return int(number)
        case ScalarRef(name):
            return machine.scalars[name]
        case Load(access):
            return machine.memory[access.array][index(access, machine)]
        case Cast(operand):
            return value(operand, machine)
        case Unary(operator, operand):
            inner = value(operand, machine)
            return {"-": -inner, "!": int(not inner), "~": ~inner}[operator]
        case Conditional(condition, then, otherwise):
            return value(then if value(condition, machine) else otherwise, machine)
        case Binary(operator, left, right):
            return applied(operator, value(left, machine), value(right, machine))
        case _:
            raise AssertionError(expression)


def applied(operator: str, a: int, b: int) -> int:
    match operator:
        case "/" | "%":
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if operator == "/" else a - quotient * b
        case "&&" | "||":
            return int(bool(a) and bool(b)) if operator == "&&" else int(bool(a) or bool(b))
        case _:
            operations = {
                "+": a + b, "-": a - b, "*": a * b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b,
                "==": a == b, "!=": a != b, "&": a & b, "|": a | b, "^": a ^ b,
            }  # fmt: skip
            if operator in {"<<", ">>"}:
                return a << b if operator == "<<" else a >> b
            return int(operations[operator])


def index(access: Access, machine: Machine) -> int:
    """By the polynomial where there is one, by the written subscript elsewhere: both must be right."""
    (subscript,), (polynomial,) = access.subscripts, access.indices
    if polynomial is None:
        return MIDDLE + value(subscript, machine)
    return MIDDLE + polynomial.evaluate(machine.scalars)


def run(body: tuple[Statement, ...], machine: Machine) -> None:
    for statement in body:
        match statement:
            case Assign(_, target, operator, expression):
                result = value(expression, machine)
                where = index(target, machine) if isinstance(target, Access) else 0
                if operator:
                    old = machine.memory[target.array][where] if isinstance(target, Access) else value(target, machine)
                    result = applied(operator, old, result)
                if isinstance(target, Access):
                    machine.memory[target.array][where] = result
                else:
                    machine.scalars[target.name] = result
            case If(_, condition, then, otherwise):
                run(then if value(condition, machine) else otherwise, machine)
            case Exit(_, "break", leaves):
                raise LeaveError(leaves)
            case Loop():
                run_loop(statement, machine)
            case _:
                raise AssertionError(statement)


def run_loop(loop: Loop, machine: Machine) -> None:
    """As its start, limits and step say; a loop without them has nothing to run."""
    assert loop.start is not None
    assert loop.limits
    assert not loop.bound_reads
    at = loop.start.evaluate(machine.scalars)
    limits = [limit.evaluate(machine.scalars) for limit in loop.limits]
    sign = 1 if loop.step > 0 else -1
    while all(at * sign < limit * sign for limit in limits):
        machine.scalars[loop.iterator] = at
        try:
            run(loop.body, machine)
        except LeaveError as left:
            if left.args[0] != loop.id:
                raise
            break
        at += loop.step


def interpreted(nest: LoopNest, sizes: Mapping[str, int]) -> list[int]:
    memory = {"a": initial(1), "b": initial(2)}
    machine = Machine({"k": 0, **sizes}, memory)
    for symbol in nest.derived:
        assert symbol.formula is not None
        machine.scalars[symbol.name] = int(symbol.formula.evaluate(machine.scalars))
    run((nest.root,), machine)
    return memory["a"] + memory["b"]


def initial(seed: int) -> list[int]:
    return [(k * 7 + seed * 3) % 11 for k in range(LENGTH)]


def lowered(text: str) -> LoopNest:
    source = f"void f(int n, int m, int s, int *a, int *b) {{ {text} }}"
    (function,) = parse_unit(source, Preprocessed(f'# 1 "main.c"\n{source}', "main.c"), Memo()).functions
    (nest,) = function.nests
    return nest.nest


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[int]]]:
    """Memory after each nest for each of the sizes, by running them all."""
    folder: Path = tmp_path_factory.mktemp("closed_forms")
    lines = ["#include <stdio.h>", f"static int a_[{LENGTH}], b_[{LENGTH}];"]
    for number, text in enumerate(NESTS.values()):
        lines.append(f"static void f{number}(int n, int m, int s, int *a, int *b) {{ {text} }}")
    lines.append("int main(void) {")
    for number in range(len(NESTS)):
        for sizes in SIZES:
            lines += [
                f"for (int k = 0; k < {LENGTH}; k++) a_[k] = (k * 7 + 3) % 11, b_[k] = (k * 7 + 6) % 11;",
                f"f{number}({sizes['n']}, {sizes['m']}, {sizes['s']}, a_ + {MIDDLE}, b_ + {MIDDLE});",
                f'for (int k = 0; k < {LENGTH}; k++) printf("%d ", a_[k]);',
                f'for (int k = 0; k < {LENGTH}; k++) printf("%d ", b_[k]);',
                'printf("\\n");',
            ]
    (folder / "nests.c").write_text("\n".join([*lines, "return 0; }"]), encoding="utf-8")
    subprocess.run(["gcc", "-w", "-std=gnu11", "nests.c", "-o", "nests"], cwd=folder, check=True)
    ran = subprocess.run(["./nests"], cwd=folder, capture_output=True, text=True, timeout=20, check=True)
    found = [[int(word) for word in line.split()] for line in ran.stdout.splitlines()]
    return {name: found[k * len(SIZES) : (k + 1) * len(SIZES)] for k, name in enumerate(NESTS)}


@pytest.mark.parametrize("name", NESTS)
def test_nest_computes_what_the_text_computes(name: str, computed: dict[str, list[list[int]]]) -> None:
    nest = lowered(NESTS[name])
    assert violations(nest) == ()
    assert [interpreted(nest, sizes) for sizes in SIZES] == computed[name]
