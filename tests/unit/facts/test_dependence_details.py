"""What a verdict says beyond its kind: witnesses, assumptions, private variables, reasons."""

from __future__ import annotations

import re

import pytest
from support.c_nests.parsed import only_nest
from support.nest_invariants import violations
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.nest import walk_statements


def verdicts(source: str) -> tuple[LoopVerdict, ...]:
    return loop_verdicts(delinearise(only_nest(source)))


def in_loops(parameters: str, *lines: str) -> str:
    return f"void f({parameters}) {{ " + " ".join(lines) + " }"


BOTH = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) "


def test_stencil_witness_has_distance_and_direction_vectors() -> None:
    outer, inner = verdicts(
        in_loops(
            "int n, double a[n][n]",
            "for (int i = 1; i < n; i++) for (int j = 0; j < n - 2; j++) a[i][j] = a[i - 1][j + 2];",
        )
    )
    (flow,) = outer.dependences
    assert (flow.kind, flow.variable, flow.carrier, flow.exact) == ("flow", "a", outer.loop, True)
    assert flow.loops == (outer.loop, inner.loop)
    assert (flow.directions, flow.distances) == (("<", ">"), (1, -2))
    assert inner.kind == "parallel"


def test_distance_counts_iterations_not_values() -> None:
    (verdict,) = verdicts(in_loops("int n, double *a", "for (int i = 100; i >= 8; i -= 4) a[i] = a[i + 8];"))
    (flow,) = verdict.dependences
    assert (flow.kind, flow.directions, flow.distances) == ("flow", ("<",), (2,))


def test_source_of_an_anti_dependence_is_the_earlier_read() -> None:
    (verdict,) = verdicts(in_loops("int n, double *a", "for (int i = 0; i < n; i++) a[i] = a[i + 3];"))
    (anti,) = verdict.dependences
    assert (anti.kind, anti.distances) == ("anti", (3,))
    assert anti.source != anti.sink


def test_flow_comes_before_anti_before_output() -> None:
    (verdict,) = verdicts(in_loops("int n, double *a", "for (int i = 0; i < n; i++) { a[0] = a[0] * a[0] + i; }"))
    assert [d.kind for d in verdict.dependences] == sorted(
        (d.kind for d in verdict.dependences), key=["flow", "anti", "output"].index
    )
    assert {d.kind for d in verdict.dependences} == {"flow", "anti", "output"}


@pytest.mark.parametrize(
    ("parameters", "pairs"),
    [
        ("int n, float *a, const float *b, const float *c", ["a, b", "a, c"]),
        ("int n, float *restrict a, const float *b, const float *c", []),
        ("int n, float *a, const float *restrict b, const float *c", ["a, c"]),
        ("int n, float *a, const int *b, const double *c", []),
        ("int n, float *a, const unsigned char *b, const double *c", ["a, b"]),
        ("int n, unsigned *a, const int *b, const double *c", ["a, b"]),
    ],
)
def test_alias_assumptions_are_the_pairs_that_c_allows_to_overlap(parameters: str, pairs: list[str]) -> None:
    (verdict,) = verdicts(in_loops(parameters, "for (int i = 0; i < n; i++) a[i] = b[i] + c[i];"))
    assert verdict.kind == "parallel"
    assert [a.subject for a in verdict.assumptions if a.kind == "alias"] == pairs


def test_alias_assumption_is_a_sentence() -> None:
    (verdict,) = verdicts(in_loops("int n, float *a, const float *b", "for (int i = 0; i < n; i++) a[i] = b[i];"))
    text = "`a` and `b` are assumed not to overlap (neither is `restrict`)."
    assert verdict.assumptions == (Assumption("alias", "a, b", text),)


def test_arrays_only_read_need_no_assumption() -> None:
    dot = "for (int i = 0; i < n; i++) s += a[i] * b[i];"
    (verdict,) = verdicts(in_loops("int n, float *a, float *b", "float s = 0;", dot))
    assert verdict.kind == "reduction"
    assert verdict.assumptions == ()
    (verdict,) = verdicts("float s;" + in_loops("int n, float *a, float *b", dot))
    assert verdict.kind == "reduction"
    assert [a.text for a in verdict.assumptions] == [f"`{p}` is assumed not to point to `s`." for p in "ab"]


def test_unproved_row_is_an_assumption_in_the_parameters() -> None:
    outer, _ = verdicts(
        in_loops(
            "int n, int m, float *restrict a",
            "for (int i = 0; i < m; i++) for (int j = 2; j <= m; j++) a[i * n + j] = 0;",
        )
    )
    assert outer.kind == "parallel"
    assert [(a.kind, a.subject) for a in outer.assumptions] == [("bounds", "a")]
    assert "m + 1 <= n" in outer.assumptions[0].text


@pytest.mark.parametrize(
    ("parameters", "loops", "expected"),
    [
        ("double a[restrict][8]", BOTH + "a[i][j] += 1;", ["m <= 8"]),
        ("double a[restrict][8]", BOTH + "a[i][j] += a[i][j + 2];", ["m <= 6"]),
        ("double a[restrict][8]", BOTH + "a[i][0] += a[i][j];", ["m <= 8"]),
        ("double a[restrict][8]", BOTH + "if (j < 8) a[i][j] += 1;", []),
        ("double a[restrict][8]", BOTH + "a[i][j % 8] += 1;", []),
        ("double a[restrict][8]", BOTH + "a[i][k[j]] += 1;", ["0 <= k[j] && k[j] < 8"]),
        ("double a[restrict][8]", BOTH + "a[i][0] = j > 1 ? a[i][j - 1] : a[i][1];", ["0 <= j - 1 && j - 1 < 8"]),
        ("double a[restrict][m]", BOTH + "a[i][j] += 1;", []),
        ("double a[restrict][m + 2]", BOTH + "a[i][j + 2] += 1;", []),
        ("double a[restrict][n]", BOTH + "a[i][j] += 1;", ["m <= n"]),
        ("double a[restrict][4][8]", BOTH + "a[i][j][j] += 1;", ["m <= 4"]),
        ("struct { double x[4], y[4]; } *restrict a", BOTH + "a[i].x[j] += a[i].y[j];", ["m <= 4"]),
        ("struct { double x[4], y[4]; } *restrict a", BOTH + "a[i].x[3] += a[i].y[0];", []),
        ("double a[restrict][8]", "for (int i = 0; i < n; i++) a[0][i] += 1;", []),
        ("double a[restrict][8]", "for (int i = 0; i < n; i++) a[i][m] += 1;", []),
    ],
)
def test_a_declared_row_is_kept_or_assumed_to_be(parameters: str, loops: str, expected: list[str]) -> None:
    outer, *_ = verdicts(in_loops(f"int n, int m, int *restrict k, {parameters}", loops))
    said = [a.text.partition(": ")[2].removesuffix(".") for a in outer.assumptions if a.kind == "bounds"]
    assert (outer.kind in {"parallel", "reduction"}, sorted(said)) == (True, expected)


def test_an_array_whose_rows_are_left_has_one_dimension() -> None:
    header = "for (int i = 0; i < n; i++) for (int j = 0; j < 12; j++) "
    outer, inner = verdicts(in_loops("int n, double a[restrict][8]", header + "a[i][j] = a[i][j] * 2 + j;"))
    assert (outer.kind, inner.kind) == ("carried", "parallel")
    assert {d.distances for d in outer.dependences} == {(1, -8)}
    assert inner.assumptions == ()


def test_private_scalar_used_afterwards_keeps_its_last_value() -> None:
    source = in_loops(
        "int n, double *a, double *r", "double t = 0;", "for (int i = 0; i < n; i++) { t = i; a[i] = t; }"
    )
    (kept,) = verdicts(source[:-1] + " *r = t; }")
    (dropped,) = verdicts(source)
    assert (kept.private, dropped.private) == (("t",), ("t",))
    assert [a.kind for a in kept.assumptions] == ["context"]
    assert dropped.assumptions == ()


def test_histogram_reduction_says_that_it_needs_atomics() -> None:
    (verdict,) = verdicts(in_loops("int n, int *restrict h, int *k", "for (int i = 0; i < n; i++) h[k[i]]++;"))
    (reduction,) = verdict.reductions
    assert (reduction.variable, reduction.operator, reduction.is_array_element) == ("h", "+", True)
    assert "atomics" in verdict.reason


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("a[k[i]] = b[i];", r"`a\[k\[i\]\]` may name the same element twice"),
        ("a[i] = g(b[i]);", "calls `g`, whose body is not in this file"),
        ("if (b[i] > 0) break; a[i] = 0;", "leaves the loop early by `break`"),
        ("if (b[i] > 0) return; a[i] = 0;", "leaves the loop early by `return`"),
        ("a[i] = a[i + m];", "whether two iterations meet in `a` depends on `m`"),
        ("if (b[i] > 0) a[i] = a[i - 1];", "data decides"),
        ("for (int j = k[i]; j < k[i + 1]; j++) a[j] = b[j];", "the loop over `j` touches depends on data"),
    ],
)
def test_unknown_names_its_reason_in_the_terms_of_the_source(body: str, reason: str) -> None:
    parameters = "int n, int m, double *restrict a, const double *restrict b, const int *restrict k"
    verdict = verdicts("double g(double, ...);" + in_loops(parameters, f"for (int i = 1; i < n; i++) {{ {body} }}"))[0]
    assert verdict.kind == "unknown"
    assert re.search(reason, verdict.reason)
    assert verdict.blockers


def test_changing_bound_is_unknown() -> None:
    (verdict,) = verdicts(in_loops("int n, int *a", "for (int i = 0; i < a[0]; i++) a[i] = i;"))
    assert verdict.kind == "unknown"
    assert "changes in the body" in verdict.reason


def test_loop_that_was_not_understood_makes_the_loop_around_it_unknown() -> None:
    verdict = verdicts(
        in_loops("int n, int *a", "for (int i = 0; i < n; i++) for (int j = i; j < n; j++) { a[i] = 0; j += a[j]; }")
    )[0]
    assert verdict.kind == "unknown"


def test_reading_an_element_of_the_accumulated_array_is_no_reduction() -> None:
    (verdict,) = verdicts(in_loops("int n, double *a", "for (int i = 1; i < n; i++) a[0] += a[i - 1];"))
    assert verdict.kind == "carried"


def test_bubble_of_extremes_with_another_statement_is_no_reduction() -> None:
    (verdict,) = verdicts(
        "double x[9];"
        + in_loops(
            "int n, double *r", "double m = 0;", "for (int i = 0; i < n; i++) if (x[i] > m) { m = x[i]; r[i] = m; }"
        )
    )
    assert verdict.kind == "unknown"


def test_block_of_a_linear_array_is_exact_for_the_inner_loop() -> None:
    outer, inner = verdicts(
        in_loops(
            "int n, double *a",
            "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i * n + j + 1] = a[i * n + j];",
        )
    )
    assert (outer.kind, inner.kind) == ("unknown", "carried")


def test_many_different_references_end_as_unknown() -> None:
    body = " ".join(f"a[{k} * i * i + k[i]] = a[i * i + {k}];" for k in range(200))
    (verdict,) = verdicts(in_loops("int n, double *a, int *k", f"for (int i = 0; i < n; i++) {{ {body} }}"))
    assert verdict.kind == "unknown"
    assert "different ways" in verdict.reason


def test_subscripts_split_along_extents_that_members_hold_make_a_sound_nest() -> None:
    nest = only_nest(
        "typedef struct { int w, h; float *data; } image;"
        "void f(image im, int c) { for (int j = 0; j < im.h; j++) for (int i = 0; i < im.w; i++)"
        " im.data[c * im.h * im.w + j * im.w + i] *= 2; }"
    )
    split = delinearise(nest)
    assert split != nest
    assert violations(split) == ()


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [("((char *)a)[i]", "a[i]"), ("((float *)a)[i]", "((double *)a)[i]"), ("((int *)a)[i]", "((point *)a)[i].x")],
)
def test_one_position_in_elements_of_two_sizes_is_not_one_place(narrow: str, wide: str) -> None:
    before = "typedef struct { int x, y; } point; "
    (read,) = verdicts(before + in_loops("int n, int *restrict a", f"for (int i = 0; i < n; i++) {narrow} = {wide};"))
    assert read.kind == "carried"
    assert {d.kind for d in read.dependences} == {"anti"}


@pytest.mark.parametrize(
    ("parameter", "store", "kind"),
    [
        ("struct s s", "s.v[i] = s.w[i];", "parallel"),
        ("struct s s", "s.n = i;", "unknown"),
        ("struct s *s", "s->v[i] = s->w[i];", "parallel"),
        ("struct s *s", "s[i].v[2] = 1;", "parallel"),
        ("struct s *s", "s->last[i] = 1;", "parallel"),
        ("struct s *s", "s[i].n = 1;", "unknown"),
        ("struct s *s", "s->in.k[i] = 1;", "parallel"),
        ("struct s *s", "((int *)s)[i] = 1;", "unknown"),
        ("struct s *s", "((struct t *)s)->v[i] = 1;", "unknown"),
        ("struct s *s", "((struct t *)s)->v[0] = 1;", "unknown"),
        ("union u *s", "s->v[i] = 1;", "unknown"),
    ],
)
def test_a_bound_that_is_a_member_changes_only_with_that_member(parameter: str, store: str, kind: str) -> None:
    structs = "struct s { int n, v[64], w[64]; struct { int n, k[8]; } in; int last[]; };"
    structs += "struct t { int v[64], n; }; union u { int n, v[64]; };"
    bound = "s.n" if "*" not in parameter else "s->n"
    (verdict,) = verdicts(structs + in_loops(parameter, f"for (int i = 0; i < {bound}; i++) {store}"))
    assert (verdict.kind, bool(re.search("changes in the body", verdict.reason))) == (kind, kind == "unknown")


def test_a_bound_that_is_a_member_of_a_member() -> None:
    structs = "struct s { int n; struct { int n, k[8]; } in; };"
    for store, kind in (("s->n = 3;", "reduction"), ("s->in.k[i] = 1;", "parallel"), ("s->in.n = i;", "unknown")):
        (verdict,) = verdicts(structs + in_loops("struct s *s", f"for (int i = 0; i < s->in.n; i++) {store}"))
        assert verdict.kind == kind


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("flag = a[i];", "flag"),
        ("a[i] = flag;", "flag"),
        ("a[i + flag] = 0;", "flag"),
        ("if (flag) a[i] = 0;", "flag"),
        ("for (int j = 0; j < flag; j++) a[i] += j;", "flag"),
        ("p[i] = 1;", "p[i]"),
        ("a[i] = d->data;", "d->data"),
        ("d->data;", "d->data"),
        ("a[i] = s[i].in.z;", "s[i].in.z"),
        ("held[i] = 0;", "held"),
        ("atomic += a[i];", "atomic"),
        ("a[i] = atoms[i].in.z;", "atoms[i].in.z"),
        ("b[i] = a[i];", "b[i]"),
    ],
)
def test_a_volatile_object_is_named_with_the_statement_that_accesses_it(body: str, name: str) -> None:
    declarations = (
        "volatile int flag; int *volatile held; struct D { int status, data; };"
        " struct S { int k; struct { volatile int z; } in; };"
        " _Atomic int atomic; struct A { int k; struct { _Atomic(int) z; } in; } *atoms;"
    )
    parameters = "_Atomic int *b, int n, int *restrict a, volatile int *p, volatile struct D *d, struct S *s"
    source = f"{declarations} void f({parameters}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    verdict, *_ = verdicts(source)
    assert verdict.kind == "unknown"
    assert verdict.reason == f"`{name}` is volatile or atomic: the order of its accesses matters"
    loop = only_nest(source).root
    assert verdict.blockers[0] in {s.id for s in walk_statements(loop.body)}


def test_a_volatile_object_in_a_header_is_said_of_the_loop() -> None:
    (verdict,) = verdicts("volatile int end; void f(int *a) { for (int i = 0; i < end; i++) a[i] = 0; }")
    assert "`end` is volatile or atomic: the order of its accesses matters" in verdict.reason
    assert verdict.blockers == (verdict.loop,)
