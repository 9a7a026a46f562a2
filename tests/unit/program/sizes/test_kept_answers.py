"""Answers about sizes from edit to edit: what is asked anew, how many are kept, how deep they may lead."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from support.programs.linked import nests, read, report
from warplens.analysis.program.sizes.call_contexts import NOWHERE
from warplens.analysis.program.sizes.linked_sizes import LinkedSizes
from warplens.analysis.program.sizes.nest_sizes import nest_sizes
from warplens.analysis.program.sizes.places import Place
from warplens.analysis.program.sizes.size_expression import Read
from warplens.analysis.program.sizes.size_values import SizeValues

SETS = "void set(int *p, int v) { *p = v; }\nvoid f(double *a) { int n; set(&n, 5); }\n"
ALLOCATES = (
    "void *malloc(long);\nvoid set(double **p, int n) { *p = malloc(n * 8); }\n"
    "void f(void) { double *a; set(&a, 5); }\n"
)
OPTION = (
    "int strcmp(const char *, const char *);\nint n = 10;\nvoid large(void) { n = 500; }\nvoid f(double *a) { }\n"
    'int main(int argc, char **argv) { if (strcmp(argv[1], "-a") == 0) large(); return 0; }\n'
)
STORES = (
    "int d[2], e[2];\nvoid set(int *p, int v) { p[1] = v; }\nvoid g(void) { set(d, 5); }\n"
    "void f(double *a) { int n = d[1]; }\n"
)
FINDS = "void f(int *p) { int n = p[1]; }\nvoid g(void) { int d[3] = {4, 5, 6}; f(d); }\n"
CALLED = "void f(int n) { }\nint main(void) { f(100); return 0; }\n"


def asked(values: SizeValues, name: str) -> dict[str, int]:
    """What the sizes of a nest in the function `f` are said to be: `name`, and the elements of `a`."""
    function = values.program.function("a.c", "f")
    assert function is not None
    found = nest_sizes(values, function, [name, "elements of a"], {"elements of a": ("a", 8)}, {}, lambda _: 1.0)
    return {size: one.value for size, one in found.sizes}


@pytest.mark.parametrize(
    ("text", "old", "new", "before", "after"),
    [
        (SETS, "set(&n, 5)", "set(&n, 6)", {"n": 5}, {"n": 6}),
        (ALLOCATES, "set(&a, 5)", "set(&a, 6)", {"elements of a": 5}, {"elements of a": 6}),
        (STORES, "set(d, 5)", "set(e, 5)", {"n": 5}, {}),
        (STORES.replace("set(d", "set(e"), "set(e, 5)", "set(d, 5)", {}, {"n": 5}),
        (STORES, "p[1]", "p[0]", {"n": 5}, {}),
        (FINDS, "f(d)", "f(d + 1)", {"n": 5}, {"n": 6}),
        (FINDS, "f(d)", "f(&d[1])", {"n": 5}, {"n": 6}),
        (CALLED, "f(int n)", "f(int m)", {"n": 100}, {}),
        (CALLED, "f(int n)", "f(double *n)", {"n": 100}, {}),
        (OPTION, '"-a"', '"-b"', {"n": 500}, {"n": 10}),
    ],
)
def test_an_answer_is_asked_anew_for_what_it_rests_on(
    text: str, old: str, new: str, before: dict[str, int], after: dict[str, int]
) -> None:
    values = SizeValues(LinkedSizes.of([read("a.c", text)[0]]), ("-a",))
    assert asked(values, "n") == before
    program = values.program.with_file(read("a.c", text.replace(old, new))[0])
    kept = values.of_program(program)
    assert asked(kept, "n") == asked(SizeValues(program, ("-a",)), "n") == after


def test_a_day_of_typing_leaves_no_answers_behind() -> None:
    text = (
        "void *malloc(long);\nvoid use(double *p, int n) { }\nvoid set(double **p, int n) { *p = malloc(n * 8); }\n"
        "void f(double *a, int n) { int k = n + 1; use(a, k); }\n"
        "void g(int n) { double *y; set(&y, n); f(y, n * 2); }\nint main(void) { g(100); return 0; }\n"
    )
    values = SizeValues(LinkedSizes.of([read("a.c", text)[0]]))
    sizes: list[int] = []
    for size in range(200, 230):
        program = values.program.with_file(read("a.c", text.replace("g(100)", f"g({size})"))[0])
        values = values.of_program(program)
        assert asked(values, "k") == {"k": 2 * size + 1, "elements of a": size}
        sizes.append(len(values.answers))
    assert sizes[-1] == sizes[0]


def test_answers_that_follow_from_each_other_do_not_hang_on_who_asked_first() -> None:
    """Each call passes what the one before stored, so that there is no end to the values."""
    text = (
        "struct s { int m; } shared = {7};\n"
        "void f(int p, int q) {\nif (p > 3) f(2, shared.m);\nint k = p + q;\nshared.m = k;\n}\n"
    )
    program = LinkedSizes.of([read("a.c", text)[0]])
    function = program.function("a.c", "f")
    assert function is not None

    def calls(values: SizeValues) -> object:
        return [one.numbers for one in values.contexts(function)]

    def stored(values: SizeValues) -> object:
        return values.value(Read(Place("member", "struct s", "m")), function, NOWHERE)

    first, last = SizeValues(program), SizeValues(program)
    assert (calls(first), stored(first)) == (stored(last), calls(last))[::-1]
    assert calls(first)


@pytest.fixture
def deep() -> Iterator[None]:
    """As many calls in calls as the analysis process allows."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(12_000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize("is_global", [False, True])
@pytest.mark.usefixtures("deep")
def test_a_way_that_is_too_long_is_open_and_no_shorter_one_with_it(is_global: bool) -> None:
    steps = range(1, 400)
    declared = "int v0 = 7;\n" + "".join(f"int v{at};\n" for at in steps)
    body = "".join(f"v{at} = v{at - 1} + 1;\n" for at in steps)
    text = f"{declared}void f(double *a) {{\n{body}}}\n" if is_global else f"void f(double *a) {{\n{declared}{body}}}\n"
    values = SizeValues(LinkedSizes.of([read("a.c", text)[0]]))
    assert [asked(values, name) for name in ("v399", "v120", "v100", "v399")] == [{}, {"v120": 127}, {"v100": 107}, {}]


def test_where_python_allows_few_calls_in_calls_a_long_way_is_open() -> None:
    steps = range(1, 300)
    declared = "int v0 = 7;\n" + "".join(f"int v{at};\n" for at in steps)
    body = "".join(f"v{at} = v{at - 1} + 1;\n" for at in steps)
    loop = "for (int i = 0; i < v299; i++) a[i] = 0;"
    text = f"{declared}void set(void) {{\n{body}}}\nvoid f(double *a) {{ {loop} }}\n"
    nest = nests(report({"a.c": text}, "a.c"))["f"]
    assert not nest.failure
    assert nest.evaluation is not None
    assert dict(nest.evaluation.sizes) == {"v299": 1024}
