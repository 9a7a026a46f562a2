"""Pointers without `restrict` on the device: what stays in registers, moves, or is in flight over stores.

What is expected are the loops that nvcc 13 makes for sm_90 (SASS): loads that a thread waits for one after the other,
and loads and stores per iteration.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.facts.program import BasicBlock, Region, ThreadLoop, blocks

FactsOf = Callable[[str], NestFacts]


def innermost(kernel: Kernel) -> ThreadLoop:
    """The innermost loop of a kernel that has one in the other."""

    def inside(program: tuple[Region, ...]) -> ThreadLoop:
        loop = next(region for region in program if isinstance(region, ThreadLoop))
        return inside(loop.body) if any(isinstance(one, ThreadLoop) for one in loop.body) else loop

    return inside(kernel.program)


def memory(block: BasicBlock) -> str:
    """Its loads and stores in order: "LLS"."""
    return "".join(i.op[0].upper() for i in block.instructions if i.op in {"load", "store", "atomic"})


def body(facts: NestFacts) -> BasicBlock:
    (kernel,) = facts.kernels
    (block,) = innermost(kernel).body
    assert isinstance(block, BasicBlock)
    return block


def columns(parameters: str, body_text: str) -> str:
    """A thread per column that runs down its rows: what `x` carries on keeps the rows in order."""
    loops = f"for (int i = 0; i < n; i++) {{ x *= 0.5f; {body_text} }}"
    return f"f(int n, int m, {parameters}) {{ for (int j = 0; j < m; j++) {{ float x = j; {loops} }} }}"


def means(mean: str, a: str) -> str:
    loops = "for (int j = 0; j < m; j++) for (int i = 0; i < n; i++)"
    return f"f(int n, int m, {mean} mean, {a} a) {{ {loops} mean[j] += a[i*m + j]; }}"


@pytest.mark.parametrize(
    ("mean", "a", "requests", "chain"),
    [
        ("float *", "float *", "LS", Fraction(1)),  # LDG FADD STG, 16 times
        ("float *restrict", "float *restrict", "L", Fraction(1, 16)),  # 16 LDG, 16 FADD, one STG behind the loop
        ("float *restrict", "const float *", "L", Fraction(1, 16)),
        ("float *", "const float *restrict", "L", Fraction(1, 16)),
        ("float *", "char *", "LS", Fraction(1)),  # a char may be part of anything
        ("float *", "int *", "L", Fraction(1, 16)),  # so clang has it: C's types tell them apart
    ],
)
def test_a_running_sum_is_stored_in_every_iteration_unless_no_load_may_see_it(
    facts_of: FactsOf, mean: str, a: str, requests: str, chain: Fraction
) -> None:
    facts = facts_of(means(mean, a))
    assert memory(body(facts)) == requests
    assert body(facts).load_chain == chain
    everything = [memory(block) for block, _ in blocks(facts.kernels[0].program)]
    assert "".join(everything).count("S") == 1


def test_a_sum_that_another_store_may_change_is_loaded_again(facts_of: FactsOf) -> None:
    """Two sums side by side: LDG LDG FADD STG, LDG LDG FFMA STG."""
    sums = "s[j] += a[i*m + j]; t[j] += 2*a[i*m + j];"
    loops = f"for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) {{ {sums} }}"
    assert memory(body(facts_of(f"f(int n, int m, float *s, float *t, float *a) {{ {loops} }}"))) == "LLSLLS"
    one = body(facts_of(f"f(int n, int m, float *restrict s, float *t, float *a) {{ {loops} }}"))
    assert (memory(one), one.load_chain) == ("LS", Fraction(1))
    both = body(facts_of(f"f(int n, int m, float *restrict s, float *restrict t, float *a) {{ {loops} }}"))
    assert (memory(both), both.load_chain) == ("L", Fraction(1, 16))


@pytest.mark.parametrize(
    ("c", "a", "chain"),
    [
        ("float *", "float *", Fraction(1)),  # LDG STG LDG STG
        ("float *restrict", "float *", Fraction(1, 16)),  # 16 LDG, then 16 STG
        ("float *", "float *restrict", Fraction(1, 16)),
        ("float *", "int *", Fraction(1)),  # the assembler knows no types
    ],
)
def test_loads_of_the_copies_stay_behind_stores_to_what_may_be_the_same(
    facts_of: FactsOf, c: str, a: str, chain: Fraction
) -> None:
    block = body(facts_of(columns(f"{c} c, {a} a", "c[i*m + j] = x*a[i*m + j];")))
    assert memory(block) == "LS"
    assert block.load_chain == chain


def test_loads_of_arrays_that_are_stored_to_wait_whatever_is_restrict(facts_of: FactsOf) -> None:
    """They can't go through the read-only path, and the assembler never heard of `restrict`."""
    text = "c[j*n + i] += x; a[j*n + i] *= x;"
    block = body(facts_of(columns("float *restrict c, float *restrict a", text)))
    assert memory(block) == "LSLS"
    assert block.load_chain == 2


def test_of_one_array_it_is_the_distance_that_counts(facts_of: FactsOf) -> None:
    """Neighbours are 4 bytes apart; of rows of `m` elements nobody knows it."""
    near = columns("float *c", "c[j*n + i] *= x;")
    far = columns("float *c", "c[i*m + j] *= x;")
    known = columns("float *c", "c[i*64 + j] *= x;")
    assert body(facts_of(near)).load_chain == Fraction(1, 16)
    assert body(facts_of(far)).load_chain == 1
    assert body(facts_of(known)).load_chain == Fraction(1, 16)


def test_what_a_loop_does_not_change_is_loaded_again_where_its_stores_may(facts_of: FactsOf) -> None:
    text = "c[i*m + j] = x*b[j]*a[i*m + j];"
    assert memory(body(facts_of(columns("float *c, float *a, float *b", text)))) == "LLS"
    assert memory(body(facts_of(columns("float *c, float *a, const float *restrict b", text)))) == "LS"


def test_loads_are_shared_over_stores_only_to_what_is_apart(facts_of: FactsOf) -> None:
    """LDG STG LDG STG, each a wait; one LDG and two STG."""
    text = "for (int j = 0; j < m; j++) { c[j] = 2*a[j]; d[j] = 3*a[j]; }"
    one = facts_of(f"f(int m, float *c, float *d, float *a) {{ {text} }}").kernels[0].program[0]
    other = facts_of(f"f(int m, float *c, float *d, float *restrict a) {{ {text} }}").kernels[0].program[0]
    assert isinstance(one, BasicBlock)
    assert isinstance(other, BasicBlock)
    assert (memory(one), one.load_chain) == ("LSLS", Fraction(2))
    assert (memory(other), other.load_chain) == ("LSS", Fraction(1))


def test_a_sum_is_stored_behind_an_inner_loop_that_reads_nothing(facts_of: FactsOf) -> None:
    """The outer loop loads, so that each of its iterations stores; the inner one has neither."""
    facts = facts_of(
        "f(int n, int m, float *s, float *a) { for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) {"
        " float x = a[i*m + j]; for (int k = 0; k < m; k++) s[j] += k*x; } }"
    )
    found = [(memory(block), len(around)) for block, around in blocks(facts.kernels[0].program)]
    assert [each for each in found if each[0]] == [("L", 0), ("L", 1), ("S", 1)]


def test_arrays_of_a_thread_are_apart_from_all(facts_of: FactsOf) -> None:
    facts = facts_of(
        "f(int n, int m, float *a, float *y) { for (int j = 0; j < m; j++) { float t[2]; t[0] = 0; t[1] = 0;"
        " for (int i = 0; i < n; i++) { t[0] += a[i*m + j]; t[1] += 2*a[i*m + j]; } y[j] = t[0]*t[1]; } }"
    )
    assert memory(body(facts)) == "L"
    assert body(facts).load_chain == Fraction(1, 16)


def test_a_core_keeps_sums_in_registers_whatever_is_restrict(facts_of: FactsOf) -> None:
    plain, promised = facts_of(means("float *", "float *")), facts_of(means("float *restrict", "float *restrict"))
    assert plain.sequential == promised.sequential


@pytest.mark.parametrize("text", ["c[j] += a[i*m + j];", "c[i*m + j] = x*a[i*m + j];"])
def test_facts_have_the_kernels_as_restrict_would_make_them(facts_of: FactsOf, text: str) -> None:
    plain = facts_of(columns("float *c, float *a", text))
    promised = facts_of(columns("float *restrict c, float *restrict a", text))
    assert [kernel.program for kernel in plain.restricted] == [kernel.program for kernel in promised.kernels]
    assert promised.restricted == ()


def test_facts_have_none_where_restrict_changes_nothing(facts_of: FactsOf) -> None:
    """One load and one store, which waits for it anyway."""
    facts = facts_of("f(int n, float *a, float *b) { for (int i = 0; i < n; i++) a[i] = 2*b[i]; }")
    assert facts.restricted == ()
