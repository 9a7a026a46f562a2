"""Variables that triangular loops move have the values that gcc's program gives them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.lowered_loops.compiled import computed
from support.lowered_loops.interpreter import NotRunError, interpreted, lowered
from support.nest_invariants import violations
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.expression import ScalarRef
from warplens.analysis.ir.nest import Assign, LoopNest, loops_of, walk_statements

SIZES = ({"n": 7, "m": 4, "s": 2}, {"n": 3, "m": 6, "s": 3}, {"n": 1, "m": 1, "s": 1})
NAMED_SIZES = (
    {"n": 13, "m": 5, "s": 3},
    {"n": 6, "m": 11, "s": 1},
    {"n": 1, "m": 2, "s": 4},
    {"n": 24, "m": 7, "s": 5},
)
ROWS, FEW_ROWS, PAGES = (f"for (int {own} = 0; {own} < {end}; {own}++)" for own, end in ("in", "im", "cs"))  # fmt: skip
LOWER, BELOW, UPPER = (f"for (int j = {text}; j++)" for text in ("0; j <= i", "0; j < i", "i; j < n"))
FILL = "a[k++] = j;"

CLOSED = {
    "lower": f"int k = 0; {ROWS} {LOWER} {FILL}",
    "stepped in the header": f"int k = 0; {ROWS} for (int j = 0; j <= i; j++, k++) a[k] = j;",
    "upper": f"int k = s; {ROWS} {UPPER} {FILL}",
    "without the diagonal": f"int k = 0; {ROWS} {{ for (int j = i + 1; j < n; j++) {FILL} b[i] = k; }}",
    "backwards": "int k = n * n; for (int i = n - 1; i >= 0; i--) for (int j = i; j >= 0; j--) a[k--] = j;",
    "by pointer": f"int *p = a; {ROWS} {{ *p = i; {BELOW} *++p = j; p++; }}",
    "rows and columns": f"int k = 0, l = 0; {ROWS} {{ {BELOW} a[k++] = l; {UPPER} b[l++] = k; k++; }}",
    "tetrahedron": f"int k = 0; {FEW_ROWS} {LOWER} for (int l = 0; l <= j; l++) a[k++] = i - l;",
    "in pages": f"int k = 0; {PAGES} {FEW_ROWS} {LOWER} a[k++] = c + j;",
    "per page": f"{PAGES} {{ int k = c; {FEW_ROWS} {LOWER} a[k++] += c + j; b[c] = k; }}",
    "pages inside": f"int k = 0; {FEW_ROWS} {PAGES} {LOWER} for (int l = 0; l <= j; l++) a[k++] = c + l;",
    "steps that differ": f"int k = 0; {ROWS} {{ {BELOW} {{ a[k % 99] = j; k += j; }} k += i; }}",
    "an end that moves along": "int k = 0; for (int i = 0, e = 1; i < n; i++, e += 2) for (int j = 0; j < e; j++) "
    f"{FILL}",
    "counted down in the test": f"int k = 0, i = n; while (i-- > 0) {LOWER} {FILL}",
    "pairs": f"int k = 0; {ROWS} for (int j = 0; j < 2 * i; j += 2) {FILL}",
    "three pairs": f"int k = 0; {ROWS} for (int j = 0; j < 6; j += 2) {FILL}",
}
"""The variable is nowhere left but in its closed form."""

NOT_CLOSED = {
    "stepped after the iterator": f"int k = 0; {ROWS} {{ for (int j = 0; j < i; j++, k += j) a[k] += j; a[k] += 3; }}",
    "stepped before the iterator": "int k = 0; for (int i = 0; i < n; k += i, i++) a[k] += i;",
    "iterator stepped first": f"int k = 0, i = 0; while (i < n) {{ i++; {BELOW} a[k++] = i; }}",
    "iterator stepped last": f"int k = 0, i = 0; while (i < n) {{ {BELOW} a[k++] = i; i++; }}",
    "an end that is stepped first": f"int k = 0, e = 0; {ROWS} {{ e++; for (int j = 0; j < e; j++) {FILL} }}",
    "from below zero": f"int k = 0; for (int i = -s; i < n; i++) {LOWER} {FILL}",
    "a late start": f"int k = 0; {ROWS} for (int j = 2; j < i; j++) {FILL}",
    "a break": f"int k = 0; {ROWS} {LOWER} {{ if (b[j] > 8) break; {FILL} }}",
    "a condition": f"int k = 0; {ROWS} {LOWER} if (b[j] > 3) {FILL}",
    "every other row": f"int k = 0; for (int i = 0; i < n; i += 2) {LOWER} {FILL}",
    "every other column": f"int k = 0; {ROWS} for (int j = 0; j <= i; j += 2) {FILL}",
    "a step by itself": f"int k = 0; for (int i = 0; i < s; i++) {BELOW} {{ a[k] = j; k += k; k++; }}",
    "another sign": f"int k = 0; {FEW_ROWS} for (int j = i; j < s; j++) {FILL}",
}
"""The variable stays one, so that each iteration of the outermost loop needs what the one before left in it."""

NESTS = 60
OUTER = {"k": 0, "l": 5}
STEPS = ("k++;", "k += 2;", "k += {i};", "k -= 1;", "l += s;", "l += {o};", "*p++ = k;", "p += 1;", "a[k++] = l;")
RARE = ("if (b[{i}] > 4) k++;", "if (b[{i}] > 7) break;", "l = {i};", "l += k;")


def loop(chance: random.Random, names: list[str]) -> str:
    own, outer = f"i{len(names)}", chance.choice(names or ["3"])
    first = chance.choice(["0", "0", "1", outer, f"{outer} + 1"])
    limit = chance.choice(["n", "m", outer, f"{outer} + 1", f"2 * {outer}", f"n - {outer}", "n + m"])
    head = chance.choice([f"{own} = {first}; {own} < {limit}; {own}++", f"{own} = {limit}; {own} > {first}; {own}--"])
    if chance.random() < 0.15:
        head = head.replace(f"{own}++", f"{own} += 2").replace(f"{own}--", f"{own} -= 2")
    if chance.random() < 0.2:
        head += ", k++" if chance.random() < 0.5 else f", l += {own}"
    return f"for (int {head}) {{ {body(chance, [*names, own])} }}"


def body(chance: random.Random, names: list[str]) -> str:
    found = [f"a[900 + {names[-1]}] += k; b[900 + {names[0]}] += l;"]
    for _ in range(chance.randint(1, 2)):
        kind = chance.random()
        if len(names) < 3 and kind < 0.7:
            found.append(loop(chance, names))
        else:
            step = chance.choice(STEPS if kind < 0.95 else RARE)
            found.append(step.format(i=names[-1], o=chance.choice(names)))
    chance.shuffle(found)
    return " ".join(found)


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[int]]]:
    """Memory after each nest for each of the sizes, by running them all."""
    nests = {**CLOSED, **NOT_CLOSED}
    found = computed(tuple(nests.values()), NAMED_SIZES, tmp_path_factory.mktemp("triangles"))
    return dict(zip(nests, found, strict=True))


def is_carried(nest: LoopNest) -> bool:
    """Whether the nest sets a variable that an iteration of its outermost loop reads before it sets it."""
    verdict = loop_verdicts(delinearise(nest))[0]
    set_here = {
        s.target.name
        for s in walk_statements((nest.root,))
        if isinstance(s, Assign) and isinstance(s.target, ScalarRef)
    }
    return not set_here <= set(verdict.private)


@pytest.mark.parametrize("name", CLOSED)
def test_sums_of_triangular_loops_are_closed_forms(name: str, truth: dict[str, list[list[int]]]) -> None:
    nest = lowered(CLOSED[name])
    assert violations(nest) == ()
    assert not is_carried(nest)
    assert [interpreted(nest, {"k": 0, **sizes}) for sizes in NAMED_SIZES] == truth[name]


@pytest.mark.parametrize("name", NOT_CLOSED)
def test_other_sums_stay_variables(name: str, truth: dict[str, list[list[int]]]) -> None:
    nest = lowered(NOT_CLOSED[name])
    assert violations(nest) == ()
    assert is_carried(nest)
    assert [interpreted(nest, {"k": 0, **sizes}) for sizes in NAMED_SIZES] == truth[name]


def test_a_loop_that_starts_from_such_a_sum_has_no_polynomial_start() -> None:
    again = "int l = i * (i + 1) / 2; while (l < k) b[l++] += 1;"
    nest = lowered(f"int k = 0; {ROWS} {{ {LOWER} {FILL} {again} }}")
    assert violations(nest) == ()
    assert [loop.start is None for loop in loops_of(nest)] == [False, False, True]


@pytest.mark.parametrize("seed", range(3))
def test_what_triangular_loops_add_up_is_what_the_program_does(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    moving = ", ".join(f"{name} = {value}" for name, value in OUTER.items())
    texts = [f"int {moving}; int *p = a + 300; {loop(chance, [])}" for _ in range(NESTS)]
    held = curved = 0
    for text, truth in zip(texts, computed(texts, SIZES, tmp_path), strict=True):
        nest = lowered(text)
        assert violations(nest) == (), text
        try:
            found = [interpreted(nest, {**OUTER, **sizes}) for sizes in SIZES]
        except NotRunError:
            continue
        assert found == truth, text
        held += 1
        curved += any("*" in one.step or "i" in one.step for inner in loops_of(nest) for one in inner.inductions)
    assert held > NESTS // 2
    assert curved > NESTS // 20
