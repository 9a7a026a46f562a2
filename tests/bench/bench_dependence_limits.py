"""Nests that make the exact test explode, and what the budget of a nest leaves of them: CPU time and operations.

Prints one line per generated nest: time of the verdicts (delinearisation included), operations used of the budget, how
many loops were decided, and how many say that they would take too many operations. Never asserted: the worst of them is
kept in docs/performance.md. `bench_dependence_limits.py [OPERATIONS]` measures with another budget.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.integer_sets.nest_budget import NEST_OPERATIONS, NestBudget
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.nest import LoopNest
from warplens.server.worker.child import run_deep

ITERATORS = "abcdefghijkl"
SIZES = [f"n{k}" for k in range(12)]


def heads(count: int) -> str:
    """So many nested loops."""
    return "".join(f"for (int {i} = 0; {i} < {n}; {i}++) " for i, n in zip(ITERATORS[:count], SIZES, strict=False))


def sources() -> Iterator[tuple[str, str]]:
    """Bodies of functions, with what is hard in them."""
    strides = " + ".join(f"{i}*{SIZES[k]}*{SIZES[k + 1]}" for k, i in enumerate(ITERATORS[:8]))
    yield "8 loops, strides of two sizes each", f"{heads(8)} x[{strides}] = x[{strides} + n9] + x[{strides} - n10*n11];"
    every = "".join(f"[{i} + {n}]" for i, n in zip(ITERATORS, SIZES, strict=True))
    moved = "".join(f"[{i} + 1]" for i in ITERATORS)
    yield "12 loops, 12 dimensions, shifts by sizes", f"{heads(12)} y{every} = y{moved} + 1;"
    divided = "".join(f"[({i} / 2 + {j}) % 7]" for i, j in zip(ITERATORS, ITERATORS[1:] + "a", strict=True))
    yield "12 dimensions of quotients and remainders", f"{heads(12)} y{divided} = y{divided.replace('% 7', '% 5')} + 1;"
    reads = " + ".join(f"x[{k + 2}*a + {k + 3}*b + {k}*c + n{k % 12}]" for k in range(39))
    yield "40 references, shifts by sizes", f"{heads(3)} x[a + 2*b + 3*c] = {reads};"
    writes = " ".join(f"x[{k + 1}*a + {k % 7}*b + p[a + {k}]] += w[q[b] + {k}];" for k in range(40))
    yield "40 writes through a table", f"{heads(2)} {{ {writes} }}"
    value = "a"
    for k, i in enumerate(ITERATORS[1:7], 2):
        value = f"(({value}) / {k} + {i}) % {k + 3}"
    yield "nested quotients", f"{heads(8)} x[{value}] += x[({value}) / 3 + (b % n1) * (c / n2)];"
    many = "+".join(f"{k + 2}*{i}" for k, i in enumerate(ITERATORS))
    yield "12 iterators in one subscript", f"{heads(12)} x[{many}] = x[3*({many}) + 1];"
    guards = " && ".join(f"({i} != {j} || {i} > {n})" for i, j, n in zip("abcde", "bcdef", SIZES, strict=False))
    yield "5 guards of two cases each", f"{heads(6)} if ({guards}) x[a + b*n1 + c*n2] = x[d + e*n1 + f*n2];"
    fill = "for (int k = 0; k < n{0}; k++) t{0}[k % n1] = x[k + n{0}*a] + t{1}[k];"
    yield "8 work arrays", f"{heads(1)} {{ {' '.join(fill.format(t, t - 1) for t in range(1, 9))} }}"
    element = "y[q[a]][b]" + "[0]" * 10
    unseen = " ".join(f"g{k}(x); if (p[a + {k}] > n1) {element} += w[p[b] + {k}];" for k in range(8))
    yield "8 unseen functions and tables", f"{heads(2)} {{ {unseen} }}"
    loops = " ".join(f"for (int k = 0; k < n{t % 12}; k++) x[k*n1 + {t}] = x[k*n2 + {t}] + x[k];" for t in range(100))
    yield "100 loops in one", f"{heads(1)} {{ {loops} }}"


def nest_of(body: str) -> LoopNest:
    """The nest of a function with that body."""
    scratch = ", ".join(f"double *t{k}" for k in range(9))
    sizes = ", ".join(f"int {n}" for n in SIZES)
    arrays = f"double *x, double *restrict w, int *p, int *q, double y{'[64]' * 12}, {scratch}"
    declared = "".join(f"void g{k}(double *);" for k in range(8))
    source = f"{declared}void f({sizes}, {arrays}) {{ {body} }}"
    unit = parse_unit(source, Preprocessed('# 1 "f.c"\n' + source, "f.c"), Memo())
    (nest,) = (lowered.nest for function in unit.functions for lowered in function.nests)
    return nest


def main() -> None:
    """Table of the nests."""
    operations = int(sys.argv[1]) if len(sys.argv) > 1 else NEST_OPERATIONS
    worst_ms = 0.0
    for name, body in sources():
        nest = nest_of(body)
        budget = NestBudget(operations)
        begin = time.process_time()
        verdicts = loop_verdicts(delinearise(nest), (), budget)
        spent_ms = (time.process_time() - begin) * 1e3
        worst_ms = max(worst_ms, spent_ms)
        decided = sum(v.kind != "unknown" for v in verdicts)
        cut = sum("too many operations" in v.reason for v in verdicts)
        print(
            f"{name:44} {spent_ms:7.1f} ms {budget.used:8} of {operations} operations"
            f" {decided:3} of {len(verdicts)} loops decided, {cut:3} would take too many"
        )
    print(f"worst {worst_ms:.1f} ms")


if __name__ == "__main__":
    run_deep(main)
