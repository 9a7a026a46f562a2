"""Random nests of every loop form, with variables that move in them, compute what gcc's program computes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.examples import is_nightly
from support.lowered_loops.compiled import computed
from support.lowered_loops.interpreter import MIDDLE, NotRunError, initial, interpreted, lowered
from support.nest_invariants import violations

SIZES = ({"n": 9, "m": 5, "s": 2}, {"n": 4, "m": 7, "s": 3}, {"n": 1, "m": 1, "s": 1})
NESTS = 60
SEEDS = range(4 if is_nightly() else 2)
OUTER = {"k": 0, "j0": 0, "i0": 0, "i1": 0, "i2": 0}
READ = {"k": 2, "j0": 3, "i0": 4, "i1": 0, "i2": 1}
"""Elements of `b` that the variables hold before a loop where the text shall not show their values."""
MOVES = ("k++;", "k -= 1;", "k += 3;", "k += s;", "*p++ = k;", "p += 2;", "q--;", "b[k++] = 1;", "*p = *q;",
         "a[j0] += 1; j0++;")  # fmt: skip
CONDITIONAL = ("a[k] += 1;", "k++;", "continue;", "b[i0] = 3;", "p++;", "break;")


def loop(chance: random.Random, names: list[str], depth: int, starts: bool = False) -> str:
    """A loop that starts from 0, or from one of several `starts`, its variable's old value among them."""
    iterator = f"i{depth}"
    limit = chance.choice(["n", "m", "5", *([f"{names[0]} + 2"] if depth else [])])
    step = chance.choice([1, 1, 2, 3])
    inside = body(chance, [iterator, *names], depth, starts)
    plain = inside.replace("continue;", f"a[{iterator}] += 2;")  # where it would skip the step
    first = chance.choice(["0", "1", "s", *names, f"{names[0]} - s", f"{iterator} + 1"]) if starts else "0"
    second = iterator if depth or not starts else "k"  # what a nest starts with stands before it
    up, down = f"{iterator} = {first}; {iterator} < {limit}", f"{iterator} = {limit}; {iterator} > 0"
    forms = [
        f"for ({up}; {iterator} += {step}) {{ {inside} }}",
        f"for ({up}; {iterator} += s) {{ {inside} }}",
        f"for ({up}; {iterator}++) {{ {plain} {iterator}++; {plain} }}",
        f"for ({up};) {{ {plain} {iterator}++; {plain} }}",
        f"for ({iterator} = {first}, k = {second}; {iterator} < {limit}; {iterator}++, k += {step}) {{ {inside} }}",
        f"for (int {down}; {iterator} -= {step}) {{ {inside} }}",
        f"for ({iterator} = {limit}; {iterator}-- > 0;) {{ {inside} }}",
    ]
    if depth:
        forms += [
            f"{iterator} = {first}; while ({iterator} < {limit}) {{ {plain} {iterator}++; }}",
            f"{iterator} = {limit}; while ({iterator}-- > 0) {{ {inside} }}",
            f"{iterator} = {first}; do {{ {plain} {iterator} += {step}; }} while ({iterator} < {limit});",
        ]
    return chance.choice(forms)


def body(chance: random.Random, names: list[str], depth: int, starts: bool) -> str:
    found = []
    for _ in range(chance.randint(1, 4)):
        one, other, kind = chance.choice(names), chance.choice(names), chance.random()
        if kind < 0.3:
            found.append(f"a[{one} + {chance.randint(0, 3)}] += {other};")
        elif kind < 0.5:
            found.append(chance.choice(MOVES))
        elif kind < 0.62:
            found.append(f"if (b[{one}] > {chance.randint(2, 8)}) {{ {chance.choice(CONDITIONAL)} }}")
        elif depth < 2 and kind < 0.85:
            found.append(loop(chance, names, depth + 1, starts))
        else:
            found.append(f"b[{one}] = {other} + k;")
    return " ".join(found)


def wrapped(value: int) -> int:
    """As an `int` holds it."""
    return (value + 2**31) % 2**32 - 2**31


@pytest.mark.parametrize("seed", SEEDS)
def test_random_nests_compute_what_their_text_computes(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    texts: list[str] = []
    while len(texts) < NESTS:
        text = loop(chance, ["k"], 0)
        if len(text) < 800:
            moving = ", ".join(f"{name} = {value}" for name, value in OUTER.items())
            texts.append(f"int {moving}; int *p = a + 300, *q = b + 400; {text}")
    held = 0
    for text, truth in zip(texts, computed(texts, SIZES, tmp_path), strict=True):
        nest = lowered(text)
        assert violations(nest) == (), text
        try:
            found = [interpreted(nest, {**OUTER, **sizes}) for sizes in SIZES]
        except NotRunError:
            continue
        if all(abs(value) < 2**31 for run in found for value in run):
            assert found == truth, text
            held += 1
    assert held > NESTS // 2


@pytest.mark.parametrize("seed", SEEDS)
def test_loops_start_where_their_headers_say(seed: int, tmp_path: Path) -> None:
    """Whatever their variables held before; what is taken for granted of how often a loop runs may be false here."""
    chance = random.Random(seed)
    texts: list[str] = []
    while len(texts) < NESTS:
        text = loop(chance, ["k"], 0, starts=True)
        if len(text) < 800:
            moving = ", ".join(f"{name} = b[{at}]" for name, at in READ.items())
            texts.append(f"int {moving}; int *p = a + 300, *q = b + 400; {text}")
    before = {name: initial(2)[MIDDLE + at] for name, at in READ.items()}
    held = 0
    for text, truth in zip(texts, computed(texts, SIZES, tmp_path), strict=True):
        nest = lowered(text)
        assert violations(nest) == (), text
        try:
            found = [interpreted(nest, {**before, **sizes}) for sizes in SIZES]
        except NotRunError:
            continue
        if all(abs(value) < 2**31 for run in found for value in run):
            assert found == truth or any("at least 0" in taken for taken in nest.inexact), text
            held += found == truth
    assert held > NESTS // 3
