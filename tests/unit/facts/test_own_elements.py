"""Arrays of which each iteration writes elements of its own where data decides which: offered last, taken as said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.iteration_order.labels import judged
from support.iteration_order.promised import Promised, matters_in_any_order
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.agreeing import Agreeing
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.unshared import Unshared

UNSHARED, AGREEING = (Unshared("x"),), (Agreeing("x"),)
ROWS = "int c = at[i]; for (int j = len[i]; j < len[i + 1]; j++) { x[c] = j; y[c++] = z[j]; }"
"""Rows of two arrays that start where a prefix sum says."""
CHUNK = "int s = n / t, e = n - s * t, from = k < e ? k * s + k : k * s + e, to = k < e ? from + s + 1 : from + s;"

NestsOf = Callable[[str], list[LoopNest]]


def verdict(body: str, said: tuple[Promise, ...] = (), header: str = "int i = 1; i < n; i++") -> LoopVerdict:
    """Of a loop over rows."""
    pointers = "*restrict x, double *restrict y, const double *restrict z"
    tables = "const int *restrict at, const int *restrict len, int *restrict seen"
    source = f"void f(int n, int t, double {pointers}, {tables}) {{ for ({header}) {{ {body} }} }}"
    ((found, *_),) = (nest.verdicts for nest in judged(source, said))
    return found


@pytest.mark.parametrize(
    ("body", "suggestion", "kind"),
    [
        (ROWS, "x has no shared elements, y has no shared elements", "parallel"),
        ("int c = at[i]; while (c < n && z[c] > 0) { x[c] = 1; c++; }", "", ""),
        ("int c = at[i]; if (z[i] > 0) x[c++] = 1; if (z[i] > 9) x[c++] = 2;", "x has no shared elements", "parallel"),
        ("x[at[i] + at[i + 1]] = i;", "x has no shared elements", "parallel"),
        ("x[at[i]] = i; x[len[i]] = 2;", "x has no shared elements", "parallel"),
        ("x[at[i]] = 2;", "", ""),
        ("x[at[i]] = i;", "at has no repeats", "parallel"),
        ("y[len[i]] = i; x[at[i] + at[i + 1]] = i;", "len has no repeats, x has no shared elements", "parallel"),
        ("x[seen[i]] = i; seen[at[i]] = 0;", "", ""),
    ],
)
def test_the_least_that_decides_the_loop_is_offered(body: str, suggestion: str, kind: str) -> None:
    found = verdict(body)
    assert found.suggestion == (f"// warplens: {suggestion}" if suggestion else "")
    assert found.under_conditions == kind


@pytest.mark.parametrize("body", ["if (at[i] != i) x[i] = x[at[i]];", "if (at[i] > 3) x[i] += x[at[i] - 2] + z[i];"])
def test_unless_one_table_decides_what_is_written_and_what_is_read(body: str) -> None:
    assert verdict(body).suggestion == "// warplens: x has no shared elements"
    assert verdict(body, UNSHARED).kind == "parallel"


@pytest.mark.parametrize(
    "body",
    [
        "x[i] = x[at[i]] + 1;",
        "if (len[i] != i) x[i] = x[at[i]] + 1;",
        "if (at[i] != i) x[i] = x[at[i]] + x[i + 1];",
        "if (at[i] != i) x[i] = x[at[i]] + x[len[i]];",
        "x[at[i]] = x[len[i]] + i;",
        "double s = z[i]; for (int j = len[i]; j < len[i + 1]; j++) s -= x[at[j]]; x[i] = s;",
    ],
)
def test_where_only_reads_are_in_the_way_nothing_is_offered(body: str) -> None:
    found = verdict(body)
    assert (found.kind, found.conditions) == ("unknown", ())


@pytest.mark.parametrize(
    "body",
    [
        "x[at[i] + at[i + 1]] = i; y[i] = y[i - 1];",
        "x[at[i] + at[i + 1]] = i; x[0] = x[0] * 2 + i;",
        "x[0] = i; x[at[i]] = 2;",
        "x[i] = x[i - 1] + x[at[i]];",
    ],
)
def test_a_witness_against_it_is_believed(body: str) -> None:
    found = verdict(body, UNSHARED)
    assert found.kind == "carried"
    assert verdict(body).conditions == ()


def test_what_is_said_is_an_assumption_of_the_loop_that_writes_the_array() -> None:
    found = verdict(ROWS, (*UNSHARED, Unshared("y"), Unshared("z")))
    assert found.kind == "parallel"
    said = [a for a in found.assumptions if a.kind == "promise"]
    assert [(a.subject, a.origin) for a in said] == [("x", "directive"), ("y", "directive")]
    assert "that another one writes" in said[0].text
    assert verdict(ROWS, UNSHARED).conditions == (Unshared("y"),)


def test_it_is_said_of_one_loop(nests_of: NestsOf) -> None:
    (nest,) = nests_of(
        "void f(int n, double *restrict x, const int *restrict at) "
        "{ for (int t = 0; t < n; t++) for (int i = 0; i < n; i++) x[at[i] + at[i + 1]] += i * t + x[at[i]]; }"
    )
    outer, inner = (found.loop for found in loop_verdicts(nest))
    for said, kinds in ((None, ["parallel"] * 2), (outer, ["parallel", "unknown"]), (inner, ["unknown", "parallel"])):
        found = loop_verdicts(nest, (Unshared("x", loop=said),))
        assert [each.kind for each in found] == kinds


SEAM = f"{CHUNK} for (int i = from; i < to; i++) {{ if (z[i] > 0) x[i] = y[i]; x[i + 1] = y[i + 1]; }}"
"""Chunks of which each writes the first element of the next one, as ends of rows are starts of rows."""


def test_chunks_that_share_their_seams_write_the_same_there() -> None:
    found = verdict(SEAM, header="int k = 0; k < t; k++")
    assert found.suggestion == "// warplens: x has no conflicting writes"
    assert found.under_conditions == "reduction"
    under = verdict(SEAM, AGREEING, "int k = 0; k < t; k++")
    assert [(r.variable, r.operator) for r in under.reductions] == [("x", "store")]
    assert [a.subject for a in under.assumptions if a.kind == "promise"] == ["x"]


def test_other_questions_that_take_too_much_work_hide_no_promise(nests_of: NestsOf) -> None:
    loops = "".join(f"for (long {k} = {k}0; {k} < {k}1; ++{k}) " for k in "ijkabc")
    at, place = "(((s*n + i)*n + j)*n + k)*m + a", "i - i0"
    for k in "jkabc":
        place = f"({place})*l{k} + {k} - {k}0"
    sizes = ", ".join(f"long {k}{end}" for k in "ijkabc" for end in "01")
    sizes += "".join(f", long l{k}" for k in "jkabc")
    (nest,) = nests_of(
        f"void f(double *restrict x, const double *restrict y, const _Bool *restrict mask, const long *restrict from, "
        f"long n, long m, {sizes}) {{ for (long s = 0; s < 6; ++s) {loops} "
        f"{{ if (!mask[{at}]) continue; long v = from[{at}]; x[{place}] = y[v*m + a]; }} }}"
    )
    found = loop_verdicts(nest)[0]
    assert (found.conditions, found.under_conditions) == ((Agreeing("x"),), "reduction")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("x[at[i] + at[i + 1]] = i; y[i] = x[i];", "unknown"),
        ("x[i] = y[i]; x[i + 1] = x[i] * 2;", "carried"),
        ("x[0] = x[0] * 2 + 1;", "carried"),
        ("x[i] = 1; if (z[i] > 0) x[i + 1] = 3 * y[i];", "reduction"),
    ],
)
def test_agreeing_writes_are_not_said_to_be_unread(body: str, kind: str) -> None:
    assert verdict(body, AGREEING).kind == kind


CASES = {
    "rows": Promised(
        "void starts(int n, int *at);\nvoid f(int n, double *restrict x) {\n int at[65]; starts(n, at);\n"
        " for (int i = 0; i < n; i++) { int c = at[i]; if (i % 3) x[c++] = i; x[c++] = 2 * i; }\n}",
        "void starts(int n, int *at) { for (int i = 0; i < n; i++) at[i] = 2 * (n - 1 - i); }",
        "void starts(int n, int *at) { for (int i = 0; i < n; i++) at[i] = i; }",
    ),
    "same values": Promised(
        "void weights(int n, double *y, double *m);\nvoid f(int n, double *restrict x) {\n double y[65], m[65];"
        " weights(n, y, m);\n"
        " for (int i = 0; i < n; i++) { if (y[i] > 3) x[i] = y[i]; x[i + 1] = m[i]; }\n}",
        "void weights(int n, double *y, double *m) { for (int i = 0; i < n; i++) y[i] = i, m[i] = i + 1; }",
        "void weights(int n, double *y, double *m) { for (int i = 0; i < n; i++) y[i] = i, m[i] = -i; }",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_where_it_is_true_any_order_gives_the_same(case: Promised, tmp_path: Path) -> None:
    assert matters_in_any_order(case, tmp_path) == (False, True)


INTERLEAVED = (
    "int p = (n + t - 1) / t, l = n % t, q = i - l * p, "
    "r = n <= t ? i : l == 0 || i < l * p ? i / p + t * (i % p) : l + q / (p - 1) + t * (q % (p - 1)); "
)
"""All rows, those first that are multiples of a distance: too much for integer sets."""


@pytest.mark.parametrize(
    ("body", "suggestion", "kind"),
    [
        ("x[r] = z[i];", "x has no shared elements", "parallel"),
        ("for (int j = 0; j < 4; j++) x[4 * r + j] = z[i];", "x has no shared elements", "parallel"),
        ("x[r] = z[i]; y[0] = i;", "", ""),
        ("x[r] = z[i]; x[0] = i;", "", ""),
    ],
)
def test_rows_in_an_order_that_divisions_by_sizes_make_are_one_of_them(body: str, suggestion: str, kind: str) -> None:
    found = verdict(INTERLEAVED + body)
    assert found.kind in {"unknown", "carried"}
    assert found.suggestion == (f"// warplens: {suggestion}" if suggestion else "")
    assert found.under_conditions == kind


def test_what_every_iteration_writes_is_carried_whatever_is_said_of_such_rows() -> None:
    assert verdict(INTERLEAVED + "x[r] = z[i]; x[0] = i;", UNSHARED).kind == "carried"
    assert verdict(INTERLEAVED + "x[r] = z[i];", UNSHARED).kind == "parallel"
