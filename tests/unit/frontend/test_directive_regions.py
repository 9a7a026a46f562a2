"""What directives say of loops: which variables each thread has, which are combined, what is known to be shared."""

from __future__ import annotations

import pytest
from support.c_nests.parsed import nests_of
from warplens.analysis.ir.loop_directive import LoopDirective
from warplens.analysis.ir.nest import Loop, loops_of

DECLARED = "static int of_file; static int of_thread;\n#pragma omp threadprivate(of_thread)\n"
LOOP = "for (int i = 0; i < n; i++) x[i] = i + of_file + of_thread;"


def loops(body: str) -> list[Loop]:
    variables = "int s = 0, t = 0, k = 0, h[8];"
    source = f"{DECLARED}void f(int n, double *x) {{ {variables}\n{body}\n x[0] = s + t + k + h[0]; }}"
    return [loop for nest in nests_of(source) for loop in loops_of(nest)]


def directive(body: str) -> LoopDirective:
    (found,) = (loop.directive for loop in loops(body) if loop.directive is not None)
    return found


@pytest.mark.parametrize(
    ("said", "own", "reduced"),
    [
        ("omp parallel for private(t, k) firstprivate(s)", {"t", "k", "s"}, ()),
        ("omp parallel for lastprivate(conditional: t) linear(k: 2)", {"t", "k"}, ()),
        ("omp parallel for linear(val(k))", set(), ()),
        ("omp parallel for reduction(+: s, t) reduction(max: k)", set(), (("s", "+"), ("t", "+"), ("k", "max"))),
        ("omp parallel for reduction(-: s)", set(), (("s", "+"),)),
        ("omp parallel for reduction(inscan, *: s)", set(), (("s", "*"),)),
        ("omp parallel for reduction(+: h[0:8])", set(), (("h", "+"),)),
        ("acc parallel loop gang private(t) reduction(*:s)", {"t"}, (("s", "*"),)),
    ],
)
def test_clauses(said: str, own: set[str], reduced: tuple[tuple[str, str], ...]) -> None:
    found = directive(f"#pragma {said}\n{LOOP}")
    assert found.own == own | {"of_thread"}
    assert found.reduced == reduced


@pytest.mark.parametrize(
    ("said", "sharing"),
    [
        ("omp parallel for", "variables"),
        ("omp parallel for default(none) shared(x, n, of_file)", "variables"),
        ("omp parallel for default(firstprivate)", "unclear"),
        ("omp parallel for private(t) SOME_MACRO", "unclear"),
        ("omp parallel for private(SOME_NAMES)", "unclear"),
        ("omp parallel for if(n > 100) num_threads(8) schedule(static, 4)", "variables"),
        ("omp parallel for if(parallel: 0)", "unclear"),
        ("omp parallel for num_threads(1)", "unclear"),
        ("omp target teams distribute parallel for map(tofrom: x[0:n]) thread_limit(64)", "variables"),
        ("omp teams distribute", "variables"),
        ("omp simd", "sums"),
        ("omp simd safelen(n)", "unclear"),
        ("omp for", "unclear"),
        ("omp for nowait", "unclear"),
        ("acc parallel loop copy(x[0:n])", "sums"),
        ("acc loop", "unclear"),
    ],
)
def test_what_is_known_to_be_shared(said: str, sharing: str) -> None:
    assert directive(f"#pragma {said}\n{LOOP}").sharing == sharing


def test_region_around_the_loop_has_its_own_variables() -> None:
    region = "#pragma omp parallel private(t) reduction(+: s)\n{ int u = 0; static int all;"
    found = directive(f"{region}\n#pragma omp for\n{LOOP} }}")
    assert found.own == {"t", "u", "of_thread"}
    assert found.reduced == (("s", "+"),)
    assert (found.sharing, found.has_region) == ("variables", True)


@pytest.mark.parametrize("between", ["single", "master", "critical", "task", "sections"])
def test_region_between_decides_who_runs_the_loop(between: str) -> None:
    found = directive(f"#pragma omp parallel\n{{\n#pragma omp {between}\n{{\n#pragma omp for\n{LOOP} }} }}")
    assert found.sharing == "unclear"


def test_lines_above_one_loop_are_read_together() -> None:
    lines = "#pragma omp target map(x[0:n])\n#pragma omp parallel private(t)\n#pragma scop\n#pragma omp for"
    found = directive(f"{lines}\n{LOOP}")
    assert (found.construct, found.sharing) == ("omp for", "variables")
    assert "t" in found.own


def test_name_in_a_clause_is_the_one_that_is_visible_there() -> None:
    said = f"#pragma omp parallel for private(t)\n{LOOP.replace('of_file', 't')}"
    inner, outer = (loop.directive for loop in loops(f"{{ int t = 1; x[1] = t;\n{said} }}\n{said}"))
    assert inner is not None
    assert outer is not None
    assert len(inner.own) == len(outer.own) == 2
    assert inner.own != outer.own


def test_nodes_below_a_directive_that_orders_them() -> None:
    body = "x[i] = i;\n#pragma omp atomic\nx[0] += 1;\n#pragma omp critical (here)\n{ x[1] = i; k++; }"
    loop = f"#pragma omp parallel for\nfor (int i = 0; i < n; i++) {{ {body} }}"
    (nest,) = nests_of(f"void f(int n, double *x) {{ int k = 0;\n{loop} x[2] = k; }}")
    exclusive = dict(nest.exclusive)
    assert set(exclusive.values()) == {"atomic", "critical"}
    assert nest.root.body[0].id not in exclusive
    assert {statement.id for statement in nest.root.body[1:]} <= exclusive.keys()


def test_directive_has_a_place(analyse_c) -> None:
    loop_text = LOOP.replace("of_file + of_thread", "1")
    source = f"void f(int n, double *x) {{\n    int k = 0;\n\n    #pragma omp simd\n{loop_text}\n}}"
    (nest,) = analyse_c(source).functions[0].nests
    (loop,) = loops_of(nest.facts.nest)
    assert loop.directive is not None
    span = dict(nest.spans.nodes)[loop.directive.id].shifted(nest.spans.base)
    assert source[span.start : span.end] == "#pragma omp simd"


def test_a_directive_is_kept_where_names_have_to_be_taken_for_types() -> None:
    (found,) = loops(f"plan p = made(n); run(p);\n#pragma omp parallel for private(t)\n{LOOP}")
    assert found.directive is not None
    assert found.directive.own == {"t", "of_thread"}
